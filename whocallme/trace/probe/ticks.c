/* SPDX-License-Identifier: MIT */
/* ticks.c - reads the time in a few nanoseconds.
 *
 * The CPU's counter is related to the clock once, over a millisecond in which the clock is
 * asked; after that a reading is one multiplication.  The counter is not used where the CPU
 * does not promise a steady one, or the kernel has found that it is not.
 */
#include "trace/probe/ticks.h"

#include <string.h>

#include "core/arch/arch.h"
#include "core/os/clock.h"
#include "core/os/file.h"
#include "core/os/proc_file.h"

/* What is measured in it is right to some millionths, and to no more than ten times that if it
 * is disturbed. */
#define PERIOD ((uint64_t)1000 * 1000)

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

/* The period has begun, and nobody ends it yet. */
static int is_measuring;

void wcm__ticks_prepare(void)
{
	static bool prepared;

	if (prepared)
		return;
	prepared = true;
	if (!wcm__arch_ticks_are_steady() || is_distrusted())
		return;
	wcm__ticks.counter = pair(&wcm__ticks.ns);
	__atomic_store_n(&is_measuring, 1, __ATOMIC_RELEASE);
}

/* Nanoseconds of a tick, times 2^32; 0 where it cannot be told. */
static uint64_t measure(void)
{
	uint64_t end_ns = 0, ticks, ns;
	const uint64_t end = pair(&end_ns);

	if (end <= wcm__ticks.counter)
		return 0;
	ticks = end - wcm__ticks.counter;
	ns = end_ns - wcm__ticks.ns;
	for (; ns > UINT32_MAX; ns /= 2)
		ticks /= 2;
	return ticks ? (ns << 32) / ticks : 0;
}

/* In a hook: who is interrupted while measuring leaves the clock to all. */
uint64_t wcm__ticks_clock(void)
{
	const uint64_t now = wcm__clock_ns();

	if (__atomic_load_n(&is_measuring, __ATOMIC_ACQUIRE) &&
	    now - wcm__ticks.ns >= PERIOD &&
	    __atomic_exchange_n(&is_measuring, 0, __ATOMIC_ACQ_REL))
		__atomic_store_n(&wcm__ticks.rate, measure(), __ATOMIC_RELEASE);
	return now;
}
