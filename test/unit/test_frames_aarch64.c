/* SPDX-License-Identifier: MIT */
/* test_frames_aarch64.c - signal frames by the kernel's layout, with records of SVE and SME in
 * them and with damaged ones; handlers that return by a libc's own trampoline; return addresses
 * that are signed. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <unistd.h>

#include "whocallme.h"

#include "core/arch/arch.h"
#include "core/os/read.h"
#include "support/check.h"

/* The kernel's words for records (asm/sigcontext.h), of which older headers lack some. */
enum {
	FPSIMD = 0x46508001, ESR = 0x45535201, POE = 0x504f4530, EXTRA = 0x45585401,
	SVE = 0x53564501, ZA = 0x54366345, ZT = 0x5a544e01, TPIDR2 = 0x54504902,
	FPMR = 0x46504d52, GCS = 0x47435300,
};

struct record {
	uint32_t magic, size;
};

enum { AREA = 4096, PC = 0x1234000, WRITES = 0x92000046, ADDRESS = 0x4560 };

static ucontext_t context;
static size_t used; /* bytes of the area with the records */

static void begin_frame(void)
{
	memset(&context, 0, sizeof(context));
	context.uc_mcontext.pc = PC;
	context.uc_mcontext.fault_address = ADDRESS;
	used = 0;
}

/* A record of SIZE bytes, as it says; what is behind its head is no head. */
static void put(uint32_t magic, uint32_t size, uint64_t word)
{
	unsigned char *at = context.uc_mcontext.__reserved + used;

	memset(at, 0xff, size);
	memcpy(at, &(struct record){ magic, size }, sizeof(struct record));
	memcpy(at + sizeof(struct record), &word, sizeof(word));
	used += size;
}

/* Nothing but the frame is read, and of that nothing behind its records. */
static bool has_strayed;

static bool read_frame(uintptr_t at, void *words, size_t size)
{
	const uintptr_t start = (uintptr_t)&context;
	const uintptr_t end = (uintptr_t)context.uc_mcontext.__reserved + AREA;

	if (at == PC)
		return false;
	if (at < start || at > end - size) {
		has_strayed = true;
		return false;
	}
	memcpy(words, (const void *)at, size);
	return true;
}

static enum wcm_access access_of_frame(void)
{
	return wcm__arch_access(&context, read_frame);
}

/* As kernels put them: vectors of 16 to 256 bytes, what is too long for the frame elsewhere. */
TEST(records_are_skipped_by_their_sizes)
{
	static const uint32_t sve[] = { 16, 592, 1136, 2224 }, za[] = { 16, 272, 1040 };

	for (size_t i = 0; i < sizeof(sve) / sizeof(*sve); i++) {
		for (size_t j = 0; j < sizeof(za) / sizeof(*za); j++) {
			begin_frame();
			put(FPSIMD, 528, 0);
			put(SVE, sve[i], 16);
			put(TPIDR2, 16, 0);
			put(ZA, za[j], 16);
			put(ZT, 80, 1);
			put(FPMR, 16, 0);
			put(POE, 16, 0);
			put(GCS, 32, 0);
			CHECK_EQ(access_of_frame(), WCM_ACCESS_UNKNOWN);
			put(ESR, 16, WRITES);
			CHECK_EQ(access_of_frame(), WCM_ACCESS_WRITE);
		}
	}
	begin_frame();
	put(FPSIMD, 528, 0);
	put(ESR, 16, WRITES);
	put(EXTRA, 32, (uintptr_t)&context - 4096);
	CHECK_EQ(access_of_frame(), WCM_ACCESS_WRITE);
	CHECK(!has_strayed);
}

TEST(the_last_record_ends_where_the_frame_does)
{
	begin_frame();
	put(FPSIMD, 528, 0);
	put(SVE, AREA - 528 - 16, 0);
	put(ESR, 16, WRITES);
	CHECK_EQ(used, AREA);
	CHECK_EQ(access_of_frame(), WCM_ACCESS_WRITE);
	begin_frame();
	put(SVE, AREA, 0);
	CHECK_EQ(access_of_frame(), WCM_ACCESS_UNKNOWN);
	CHECK(!has_strayed);
}

/* Sizes that are none: what is behind such a record is not looked at. */
TEST(sizes_that_lie_end_the_records)
{
	static const uint32_t sizes[] = {
		0, 1, 8, 15, 17, 24, 1000, AREA - 512, AREA, 0x7ffffff0, 0x80000000, 0xfffffff0,
		UINT32_MAX,
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		begin_frame();
		put(FPSIMD, 528, 0);
		put(SVE, 16, 0);
		put(ESR, 16, WRITES);
		memcpy(context.uc_mcontext.__reserved + 528 + sizeof(uint32_t), &sizes[i],
		       sizeof(uint32_t));
		CHECK_EQ(access_of_frame(), WCM_ACCESS_UNKNOWN);
	}
	CHECK(!has_strayed);
}

/* What any walk through the records must find; 0: no syndrome. */
static uint64_t syndrome_of_area(void)
{
	const unsigned char *area = context.uc_mcontext.__reserved;
	size_t at = 0;

	for (;;) {
		struct record record;
		uint64_t word;

		if (at > AREA - 16)
			return 0;
		memcpy(&record, area + at, sizeof(record));
		if (record.magic == 0 || record.size < 16 || record.size % 16 != 0)
			return 0;
		memcpy(&word, area + at + sizeof(record), sizeof(word));
		if (record.magic == ESR)
			return word;
		at += record.size;
	}
}

TEST(any_records_at_all)
{
	static const uint32_t magics[] = { FPSIMD, SVE, ZA, ZT, TPIDR2, EXTRA, ESR, 0 };
	enum { FRAMES = 20000 };
	unsigned with_syndrome = 0;

	srand(1);
	for (unsigned i = 0; i < FRAMES; i++) {
		uint64_t syndrome;

		begin_frame();
		for (size_t at = 0; at < AREA; at += 16) {
			const struct record record = {
				magics[rand() % (rand() % 16 == 0 ? 8 : 7)],
				rand() % 32 == 0 ? (uint32_t)rand() : 16u * (rand() % 40u),
			};
			const uint64_t word = WRITES;

			memcpy(context.uc_mcontext.__reserved + at, &record, sizeof(record));
			memcpy(context.uc_mcontext.__reserved + at + 8, &word, sizeof(word));
		}
		syndrome = syndrome_of_area();
		with_syndrome += syndrome != 0;
		CHECK_EQ(access_of_frame(), syndrome ? WCM_ACCESS_WRITE : WCM_ACCESS_UNKNOWN);
	}
	CHECK(with_syndrome > FRAMES / 10 && with_syndrome < FRAMES);
	CHECK(!has_strayed);
}

/* What musl has for a handler to return to, without a description; glibc's handlers return to
 * the vdso. */
__asm__(".pushsection .text\n\t"
	".p2align 2\n"
	"restore:\n\t"
	"mov x8, #139\n\t"
	"svc #0\n\t"
	".popsection");
extern const char restore[] __attribute__((visibility("hidden")));

enum { MOST = 64 };
static struct wcm_frame frames[MOST];
static size_t frame_count;
static enum wcm_stop stop;

static void capture(int signal, siginfo_t *info, void *ucontext)
{
	(void)signal, (void)info, (void)ucontext;
	frame_count = wcm_stack_capture(frames, MOST, 0, &stop);
}

__attribute__((noinline)) static void send(void)
{
	CHECK_EQ(syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1), 0);
}

static void handle(void *handler, unsigned long flags, const void *restorer)
{
	const struct {
		void *handler;
		unsigned long flags;
		const void *restorer;
		uint64_t mask;
	} action = { handler, flags, restorer, 0 };

	CHECK_EQ(syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, sizeof(action.mask)), 0);
}

/* Which frame a signal has interrupted; all of them if none. */
static size_t interrupted(void)
{
	size_t i = 0;

	while (i < frame_count && !(frames[i].flags & WCM_FRAME_INTERRUPTED))
		i++;
	return i;
}

static bool is_within(uintptr_t pc, void (*function)(void), size_t size)
{
	return pc - (uintptr_t)function < size;
}

TEST(through_a_trampoline_of_a_libc)
{
	enum { RESTORER = 0x04000000, FUNCTION = 256 };
	size_t at;

	handle((void *)capture, SA_SIGINFO | RESTORER, restore);
	send();
	at = interrupted();
	CHECK(at > 0 && at + 1 < frame_count);
	CHECK_EQ(frames[at - 1].pc, (uintptr_t)restore);
	while (++at < frame_count && !is_within(frames[at].pc, send, FUNCTION))
		;
	CHECK(at < frame_count);
	CHECK_EQ(stop, WCM_STOP_OUTERMOST);
}

TEST(through_the_trampoline_of_the_kernel)
{
	size_t by_libc, depth;

	handle((void *)capture, SA_SIGINFO, NULL);
	send();
	by_libc = interrupted();
	depth = frame_count;
	CHECK(by_libc > 0 && by_libc + 1 < frame_count);
	CHECK(frames[by_libc - 1].pc != (uintptr_t)restore);
	CHECK_EQ(stop, WCM_STOP_OUTERMOST);
	handle((void *)capture, SA_SIGINFO | 0x04000000, restore);
	send();
	CHECK_EQ(interrupted(), by_libc);
	CHECK_EQ(frame_count, depth);
}

/* By either key: pacia1716 and pacib1716, which are NOPs where there are no keys. */
#define SIGNED(address, by, hint)                                          \
	({                                                                 \
		register uintptr_t x16 __asm__("x16") = by;                \
		register uintptr_t x17 __asm__("x17") = address;           \
		__asm__("hint #" hint : "+r"(x17) : "r"(x16));             \
		x17;                                                       \
	})

TEST(signed_addresses_are_stripped)
{
	enum { TIMES = 64, KEYS = 2 };
	const bool has_keys = getauxval(AT_HWCAP) >> 30 & 1; /* HWCAP_PACA */
	const uintptr_t addresses[] = { (uintptr_t)send, (uintptr_t)&stop, (uintptr_t)getpid,
					PC };
	unsigned changed = 0;

	for (uintptr_t by = 0; by < TIMES; by++) {
		const uintptr_t address = addresses[by % 4];
		const uintptr_t a = SIGNED(address, by, "8"), b = SIGNED(address, by, "10");

		CHECK_EQ(wcm__arch_strip(a), address);
		CHECK_EQ(wcm__arch_strip(b), address);
		CHECK_EQ(wcm__arch_strip(address), address);
		changed += (a != address) + (b != address);
	}
	CHECK(has_keys ? changed > TIMES : changed == 0);
}

RUN(records_are_skipped_by_their_sizes, the_last_record_ends_where_the_frame_does,
    sizes_that_lie_end_the_records, any_records_at_all, through_a_trampoline_of_a_libc,
    through_the_trampoline_of_the_kernel, signed_addresses_are_stripped)
