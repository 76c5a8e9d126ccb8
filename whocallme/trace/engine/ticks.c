/* SPDX-License-Identifier: MIT */
/* ticks.c (SAFE) - reads the time in a few nanoseconds.
 *
 * The CPU's counter is related to the clock by a rate, and a reading is one multiplication.  The
 * rate is measured after a millisecond in which the clock is asked, and again by the first
 * reading after the time since the beginning has doubled, or a second has passed.  A reading is
 * about as far from the clock as a measurement is, and by the rate's last bit: some 0.7 ns for each
 * second that the process runs.  So the times of several processes can be compared.  The counter
 * is not used where the CPU does not promise a steady one, the kernel has found that it is not, or
 * it jumps.
 */
#include "trace/engine/ticks.h"

#include <string.h>

#include "core/arch/arch.h"
#include "core/os/clock.h"
#include "core/os/file.h"
#include "core/os/proc_file.h"
#include "crash/threads/tasks.h"

/* What is measured in the first is right to some millionths, and to no more than ten times that if
 * it is disturbed. */
#define SHORTEST ((uint64_t)1000 * 1000)
#define LONGEST ((uint64_t)1000 * 1000 * 1000)

enum { PATIENCE = 1000 /* milliseconds */ };

struct wcm_ticks wcm__ticks;

__thread uint64_t wcm__ticks_latest __attribute__((tls_model("initial-exec")));

/* Whether the kernel has given the counter up for a clock chip. */
static bool is_distrusted(void)
{
	static const char path[] = "/sys/devices/system/clocksource/"
				   "clocksource0/current_clocksource";
	char name[16] = "";
	const int fd = wcm__proc_open_regular(path);

	if (fd < 0)
		return false;
	wcm__read(fd, name, sizeof(name) - 1);
	wcm__close(fd);
	return memcmp(name, "hpet", 4) == 0 || memcmp(name, "acpi_pm", 7) == 0 ||
	       memcmp(name, "jiffies", 7) == 0;
}

/* The counter at a moment of the clock: of some readings, the one that was
 * disturbed least. */
static uint64_t pair(uint64_t *ns)
{
	uint64_t best = UINT64_MAX, counter = 0;

	for (int i = 0; i < 16; i++) {
		const uint64_t before = wcm__arch_ticks(), now = wcm__clock_ns();
		const uint64_t took = wcm__arch_ticks() - before;

		if (took < best) {
			best = took;
			counter = before + took / 2;
			*ns = now;
		}
	}
	return counter;
}

static int is_trusted;

void wcm__ticks_prepare(void)
{
	static bool prepared;

	if (prepared)
		return;
	prepared = true;
	if (!wcm__arch_ticks_are_steady() || is_distrusted())
		return;
	wcm__ticks.counter = pair(&wcm__ticks.ns);
	__atomic_store_n(&is_trusted, 1, __ATOMIC_RELEASE);
}

/* Nanoseconds of a tick, times 2^32; 0 where it cannot be told. */
static uint64_t rate_of(uint64_t ticks, uint64_t ns)
{
	for (; ns > UINT32_MAX; ns /= 2)
		ticks /= 2;
	return ticks ? (ns << 32) / ticks : 0;
}

/* Whether RATE is by more than a thousandth another than BEFORE, measured in NS nanoseconds, which
 * clocks that are being adjusted are not: the counter was set meanwhile, as by a suspended or moved
 * machine, or the process is in another time namespace.  What was measured in less than a second
 * may have been disturbed. */
static bool is_jump(uint64_t before, uint64_t ns, uint64_t rate)
{
	const uint64_t apart = before < rate ? rate - before : before - rate;

	return before != 0 && apart > before / (ns < LONGEST ? 8 : 1000);
}

/* UNTIL is stored last: who sees it sees the rate. */
static void measure(void)
{
	static uint64_t measured; /* nanoseconds, in what the rate is of */
	const uint64_t before = wcm__ticks.rate;
	uint64_t end_ns = 0, ticks, ns, rate, more;

	ticks = pair(&end_ns) - wcm__ticks.counter;
	ns = end_ns - wcm__ticks.ns;
	rate = (int64_t)ticks > 0 && (int64_t)ns > 0 ? rate_of(ticks, ns) : 0;
	if (rate == 0 || is_jump(before, measured, rate)) {
		__atomic_store_n(&is_trusted, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&wcm__ticks.until, 0, __ATOMIC_RELEASE);
		return;
	}
	measured = ns;
	more = (LONGEST << 32) / rate;
	__atomic_store_n(&wcm__ticks.rate, rate, __ATOMIC_RELAXED);
	__atomic_store_n(&wcm__ticks.until, ticks + (ticks < more ? ticks : more),
			 __ATOMIC_RELEASE);
}

/* When a thread has begun to measure, in milliseconds, which wrap; 0: none does.  One that has
 * ended in it, or is the parent's, does not come back. */
static uint32_t begun;

static bool begin_to_measure(uint64_t now)
{
	const uint32_t at = (uint32_t)(now / 1000000) | 1;
	uint32_t seen = __atomic_load_n(&begun, __ATOMIC_RELAXED);

	return (seen == 0 || (int32_t)(at - seen) > PATIENCE) &&
	       __atomic_compare_exchange_n(&begun, &seen, at, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* Once the program asks for a filter of system calls, which may end it for a look at the clock, the
 * rate stays what it is.  False: there is none. */
static bool keeps_rate(void)
{
	if (!wcm__task_has_asked_for_filter() ||
	    __atomic_load_n(&wcm__ticks.until, __ATOMIC_ACQUIRE) == 0)
		return false;
	__atomic_store_n(&wcm__ticks.until, UINT64_MAX, __ATOMIC_RELAXED);
	return true;
}

/* In a hook: who is interrupted while measuring leaves the clock to all. */
uint64_t wcm__ticks_clock(void)
{
	uint64_t now;

	if (keeps_rate() && wcm__ticks_counted(0, &now))
		return now;
	now = wcm__clock_ns();
	if (__atomic_load_n(&is_trusted, __ATOMIC_ACQUIRE) &&
	    now - wcm__ticks.ns >= SHORTEST && begin_to_measure(now)) {
		measure();
		__atomic_store_n(&begun, 0, __ATOMIC_RELEASE);
	}
	return now;
}
