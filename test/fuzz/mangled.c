/* SPDX-License-Identifier: MIT */
/* mangled.c - mutants of mangled names, to the demangler of a signal handler.
 *
 *	mangled COUNT <NAMES
 *
 * Each is taken apart in bounded time on the stack that there is for it, without a
 * fault, and says what cplus_demangle() says where both have an answer.
 */
#include <demangle.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/report/demangle.h"

/* Of libiberty's grammars of Rust and D, which a machine's libraries seldom have. */
static const char *const own[] = {
	"_RNvCs1234_7mycrate3foo", "_RNvC5identu9brger_kva",
	"_RNvNtC5crate5inner4take", "_RINvNtC3std3mem8align_ofdE",
	"_RNvMs_NtC5alloc3vecINtB4_3VecjE4push",
	"_RNvXs_NtC3std2ioNtB4_4FileNtB4_4Read4read",
	"_RNCNvC4main3run0", "_RINvC4main3mapTjmEFUKCaEhQNtB2_1RE",
	"_RINvC4main5arrayAjKj4_Kb1_Kc61_E", "_RNvYNtC1a1bNtB2_1cDNtB2_1dp1eNtB2_1fEL_",
	"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
	"_ZN60_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..Drop$GT$4drop17h0123456789abcdefE",
	"_D3foo3barFiZv", "_Dmain", "_D5store4Shop4sellMFiAyaZv",
	"_D3std5array__T5arrayTAiZQjFNaNbNfQmZQp", "_D8demangle4testFHAbaZv",
	"_D8demangle__T4testVAyaa3_616263VG2ii1i2Vde0A8P6ZQzv",
	"_D8demangle4testFDFZaQeMFNbNiZQjZv", "_D3foo__T3barTSQp3BazVii7S4main3runZ1xi",
};
enum { OWN = sizeof(own) / sizeof(*own) };

/* What repeats, refers back, or stands for none or for many. */
static const char *const parts[] = {
	"S_", "S0_", "S1_", "S2_", "T_", "T0_", "T_I", "Dp", "DpT_", "sZT_", "sp",
	"cv", "cvT_I", "I", "E", "J", "N", "X", "Z", "F", "L", "DT", "fL0p", "on",
	"B_", "B0_", "B2_", "K", "p", "T", "Qb", "Qd", "__T", "VAya", "TA", "G9",
	"99999", "_", "_Z", "M", "P", "R", "O", "U", "dn", "gs", "sr", "St", "Ul",
};
enum { PARTS = sizeof(parts) / sizeof(*parts), MOST = 1100, SEEDS = 200000,
       CHANGES = 6, SECONDS = 5 };

static const char *seeds[SEEDS];
static size_t seed_count;
static char name[MOST + 1];
static timer_t timer;

static size_t random_below(size_t bound)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (size_t)(state % bound);
}

static void say(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		_exit(99);
}

/* SIGABRT is the timer's: what does not end is not to be blocked. */
static void on_signal(int signal)
{
	say(signal == SIGABRT ? "not ok 1 - takes too long: " : "not ok 1 - faults: ");
	say(name);
	say("\n1..1\n");
	_exit(1);
}

static void prepare(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGABRT };
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_ONSTACK };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &action, NULL);
	if (syscall(SYS_timer_create, CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0)
		exit(99);
}

static void read_seeds(void)
{
	static char line[4096];

	for (; seed_count < OWN; seed_count++)
		seeds[seed_count] = own[seed_count];
	while (seed_count < SEEDS && fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (strlen(line) < MOST)
			seeds[seed_count++] = strdup(line);
	}
}

/* Put TEXT, SIZE bytes, at AT, as often as there is room and at most COUNT times. */
static void insert(size_t at, const char *text, size_t size, size_t count)
{
	size_t length = strlen(name);

	for (; count > 0 && length + size <= MOST; count--, length += size) {
		memmove(name + at + size, name + at, length - at + 1);
		memcpy(name + at, text, size);
	}
}

static void change(void)
{
	static char copy[MOST + 1];
	const size_t length = strlen(name), at = random_below(length + 1);
	size_t size = random_below(length - at + 1);
	const char *text;

	switch (random_below(6)) {
	case 0:
		size = size % 8;
		memmove(name + at, name + at + size, length - at - size + 1);
		break;
	case 1:
		memcpy(copy, name + at, size);
		insert(at, copy, size, 1 + random_below(2));
		break;
	case 2:
		text = seeds[random_below(OWN + 100)];
		size = strlen(text);
		insert(at, text + size / 2, size - size / 2, 1);
		break;
	case 3:
		if (at < length)
			name[at] = (char)('0' + random_below('z' - '0' + 1));
		break;
	default:
		text = parts[random_below(PARTS)];
		insert(at, text, strlen(text), random_below(4) ? 1 : 1 + at % 64);
	}
}

static void make_name(void)
{
	/* Half of them of the rarer kinds. */
	const size_t seed = random_below(2) ? random_below(OWN)
					    : random_below(seed_count);

	strcpy(name, seeds[seed]);
	for (size_t left = random_below(CHANGES + 1); left > 0; left--)
		change();
}

static void set_timer(time_t seconds)
{
	const struct itimerspec at = { .it_value.tv_sec = seconds };

	syscall(SYS_timer_settime, timer, 0, &at, NULL);
}

/* Whether NAME is answered, and as elsewhere. */
static bool is_answered(void)
{
	enum { style = DMGL_PARAMS | DMGL_ANSI };
	static char room[65536];
	char *plain;
	size_t used;

	set_timer(SECONDS);
	used = wcm__demangle(name, false, room, sizeof(room));
	set_timer(0);
	if (used == 0)
		return false;
	plain = cplus_demangle(name, style | DMGL_AUTO);
	if (!plain)
		plain = cplus_demangle(name, style | DMGL_DLANG);
	if (plain && strcmp(plain, room) != 0) {
		printf("not ok 1 - %s\n# %s\n# %s\n1..1\n", name, room, plain);
		exit(1);
	}
	free(plain);
	return true;
}

int main(int argc, char **argv)
{
	const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
	unsigned long answered = 0;

	read_seeds();
	if (seed_count < OWN + 100)
		return 99;
	prepare();
	for (unsigned long i = 0; i < count; i++) {
		make_name();
		answered += is_answered();
	}
	printf("# names: %lu, answered: %lu\nok 1 - mangled names\n1..1\n", count,
	       answered);
	return 0;
}
