/* SPDX-License-Identifier: MIT */
/* test_overflow.c - which faults are a stack's end, by mappings made by hand. */
#include "crash/report/form.h"

#include <sys/mman.h>

#include "support/check.h"

enum { KIB = 1024 };

/* No memory is here, but for one test: only mappings can tell. */
#define STACK ((uintptr_t)(UINTPTR_MAX > UINT32_MAX ? 0x180000000000 : 0x20000000))
#define STACK_SIZE ((uintptr_t)64 * KIB)
#define STACK_END (STACK + STACK_SIZE)
#define GUARD_SIZE ((uintptr_t)4 * KIB)

static const struct wcm_mapping below = { .lo = STACK - (1 << 20),
					  .hi = STACK - (1 << 19),
					  .permissions = "rw-p" };
static const struct wcm_mapping guard = { .lo = STACK - GUARD_SIZE,
					  .hi = STACK,
					  .permissions = "---p" };
static const struct wcm_mapping stack = { .lo = STACK,
					  .hi = STACK_END,
					  .permissions = "rw-p" };
static const struct wcm_mapping code = { .lo = STACK - GUARD_SIZE,
					 .hi = STACK,
					 .permissions = "r-xp" };

static struct wcm_location in_guard(uintptr_t address)
{
	return (struct wcm_location){ .address = address,
				   .kind = WCM_LOCATION_GUARD,
				   .at = guard,
				   .below = below,
				   .above = stack };
}

static struct wcm_location in_gap(uintptr_t address)
{
	return (struct wcm_location){ .address = address,
				   .kind = WCM_LOCATION_GAP,
				   .below = below,
				   .above = stack };
}

static struct wcm_location in_stack(uintptr_t address)
{
	return (struct wcm_location){ .address = address,
				   .kind = WCM_LOCATION_MAPPED,
				   .at = stack,
				   .below = guard };
}

/* The size that the overflow is said to be of; 1 where there is none. */
static uint64_t found(struct wcm_location fault, struct wcm_location sp, uintptr_t own)
{
	uint64_t size = 0;

	struct wcm_places places = { .fault = fault, .sp = sp, .are_found = true };

	return wcm__overflow_find(&places, own, NULL, &size) ? size : 1;
}

/* The stack is not the thread's own: a coroutine's. */
static const uintptr_t elsewhere = STACK + (1 << 30);
static const uintptr_t own = STACK_END - 64;

TEST(a_push_into_the_guard)
{
	CHECK_EQ(found(in_guard(STACK - 8), in_stack(STACK), elsewhere),
		 STACK_SIZE);
	CHECK_EQ(found(in_guard(STACK - GUARD_SIZE), in_stack(STACK + 128),
		       elsewhere),
		 STACK_SIZE);
}

TEST(the_stack_pointer_is_in_the_guard_already)
{
	CHECK_EQ(found(in_guard(STACK - 8), in_guard(STACK - 600), elsewhere),
		 STACK_SIZE);
	CHECK_EQ(found(in_guard(STACK - 600), in_guard(STACK - 600),
		       elsewhere),
		 STACK_SIZE);
}

TEST(a_stack_without_a_guard_ends_in_nothing)
{
	CHECK_EQ(found(in_gap(STACK - 8), in_stack(STACK), elsewhere),
		 STACK_SIZE);
}

TEST(a_frame_that_is_far_too_large_left_the_threads_own_stack)
{
	struct wcm_location sp = in_gap(STACK - 0x20000);

	/* Of a stack that is not known to be one, nothing is said. */
	CHECK_EQ(found(sp, sp, own), 1);
	if (HAVE_ASAN) /* whose memory is there */
		return;
	if (mmap((void *)STACK, STACK_SIZE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) !=
	    (void *)STACK)
		SKIP("nothing can be mapped where it should");
	CHECK(found(sp, sp, own) != 1);
	CHECK_EQ(found(sp, sp, elsewhere), 1);
	CHECK_EQ(found(in_gap(STACK - 0x20000), in_stack(STACK + 64), own), 1);
	/* A page of it that can be read is no end. */
	CHECK_EQ(found(in_stack(STACK + 8), in_stack(STACK + 64), own), 1);
	munmap((void *)STACK, STACK_SIZE);
}

/* A guard page is other memory's too. */
TEST(a_fault_far_from_the_stack_pointer_is_none)
{
	struct wcm_location sp = in_stack(STACK_END - 64);

	CHECK_EQ(found(in_guard(STACK - (1 << 12)),
		       (struct wcm_location){ .address = STACK + (1 << 24),
					   .kind = WCM_LOCATION_MAPPED,
					   .at = { .lo = STACK + (1 << 23),
						   .hi = STACK + (1 << 25),
						   .permissions = "rw-p" } },
		       elsewhere),
		 1);
	sp.address = STACK + 65 * KIB;
	CHECK_EQ(found(in_guard(STACK - 8), sp, elsewhere), 1);
}

TEST(a_fault_above_the_stack_pointer_is_none)
{
	struct wcm_location fault = in_stack(STACK + 4096);

	CHECK_EQ(found(fault, in_stack(STACK + 64), elsewhere), 1);
}

TEST(what_may_be_accessed_is_no_end)
{
	struct wcm_location fault = in_guard(STACK - 8);

	fault.at = code;
	fault.kind = WCM_LOCATION_MAPPED;
	CHECK_EQ(found(fault, in_stack(STACK), elsewhere), 1);
}

TEST(a_stack_pointer_that_is_nonsense_is_no_overflow)
{
	struct wcm_location sp = { .address = 8, .kind = WCM_LOCATION_NEAR_NULL,
				.above = stack };
	struct wcm_location fault = { .address = 16,
				   .kind = WCM_LOCATION_NEAR_NULL,
				   .above = stack };

	CHECK_EQ(found(fault, sp, own), 1);
	sp.address = fault.address = 0x10000000;
	sp.kind = fault.kind = WCM_LOCATION_GAP;
	CHECK_EQ(found(fault, sp, own), 1);
}

RUN(a_push_into_the_guard, the_stack_pointer_is_in_the_guard_already,
    a_stack_without_a_guard_ends_in_nothing,
    a_frame_that_is_far_too_large_left_the_threads_own_stack,
    a_fault_far_from_the_stack_pointer_is_none,
    a_fault_above_the_stack_pointer_is_none, what_may_be_accessed_is_no_end,
    a_stack_pointer_that_is_nonsense_is_no_overflow)
