/* SPDX-License-Identifier: MIT */
/* test_place.c - code, data, and what is neither. */
#include "core/modules/place.h"

#include <link.h>
#include <stdlib.h>

#include "core/os/read.h"
#include "support/check.h"

static char zeros[3 * WCM_PAGE] __attribute__((aligned(WCM_PAGE)));
static int written = 1;

static enum wcm_place place_of(const volatile void *at)
{
	return wcm__place_of((uintptr_t)at);
}

TEST(a_module_has_code_and_data)
{
	CHECK_EQ(wcm__place_of((uintptr_t)place_of), WCM_PLACE_CODE);
	CHECK_EQ(wcm__place_of((uintptr_t)abort), WCM_PLACE_CODE);
	CHECK_EQ(place_of(&written), WCM_PLACE_DATA);
	CHECK_EQ(place_of(zeros), WCM_PLACE_DATA);
	CHECK_EQ(place_of(stdout), WCM_PLACE_DATA); /* of libc */
}

TEST(no_module_is_neither)
{
	char here = 0, *block = malloc(1);

	CHECK_EQ(place_of(&here), WCM_PLACE_OTHER);
	CHECK_EQ(place_of(block), WCM_PLACE_OTHER);
	CHECK_EQ(wcm__place_of(0), WCM_PLACE_OTHER);
	CHECK_EQ(wcm__place_of(UINTPTR_MAX), WCM_PLACE_OTHER);
	free(block);
}

static int find_end(struct dl_phdr_info *info, size_t size, void *end)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			*(uintptr_t *)end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr +
					    info->dlpi_phdr[i].p_memsz;
	return 1; /* the executable is the first */
}

TEST(what_follows_the_last_segment_is_no_data)
{
	uintptr_t end = 0;

	dl_iterate_phdr(find_end, &end);
	CHECK_EQ(wcm__place_of(end - 1), WCM_PLACE_DATA);
	CHECK_EQ(wcm__place_of(end), WCM_PLACE_OTHER);
}

TEST(code_is_made_in_data)
{
	wcm__place_made_code((uintptr_t)zeros + WCM_PAGE, WCM_PAGE);
	CHECK_EQ(place_of(zeros + WCM_PAGE - 1), WCM_PLACE_DATA);
	CHECK_EQ(place_of(zeros + WCM_PAGE), WCM_PLACE_OTHER);
	CHECK_EQ(place_of(zeros + 2 * WCM_PAGE - 1), WCM_PLACE_OTHER);
	CHECK_EQ(place_of(zeros + 2 * WCM_PAGE), WCM_PLACE_DATA);
}

/* A run-time's own memory lies on both sides of a module's data. */
TEST(code_that_is_made_elsewhere_says_nothing_of_data)
{
	char *low = (char *)WCM_PAGE, *high = (char *)(UINTPTR_MAX - WCM_PAGE);

	wcm__place_made_code((uintptr_t)low, WCM_PAGE);
	wcm__place_made_code((uintptr_t)high, WCM_PAGE / 2);
	wcm__place_made_code((uintptr_t)zeros, 0);
	wcm__place_made_code((uintptr_t)zeros, UINTPTR_MAX);
	CHECK_EQ(place_of(&written), WCM_PLACE_DATA);
	CHECK_EQ(place_of(zeros), WCM_PLACE_DATA);
}

TEST(code_is_made_from_the_middle_of_data_on)
{
	wcm__place_made_code((uintptr_t)zeros + 2 * WCM_PAGE, 1024 * WCM_PAGE);
	CHECK_EQ(place_of(zeros + 3 * WCM_PAGE - 1), WCM_PLACE_OTHER);
	CHECK_EQ(place_of(&written), WCM_PLACE_DATA);
}

RUN(a_module_has_code_and_data, no_module_is_neither, what_follows_the_last_segment_is_no_data,
    code_that_is_made_elsewhere_says_nothing_of_data, code_is_made_in_data,
    code_is_made_from_the_middle_of_data_on)
