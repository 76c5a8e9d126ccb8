/* SPDX-License-Identifier: MIT */
/* flight_switch.c - a trace and the flight recorder, switched on and off in turn. */
#include <string.h>
#include <unistd.h>

#include <whocallme.h>

#ifdef __clang__
#define OUTLINE __attribute__((noinline))
#else
#define OUTLINE __attribute__((noipa))
#endif
#define UNSEEN __attribute__((patchable_function_entry(0)))

OUTLINE void called_first(void) { __asm__ volatile(""); }
OUTLINE void called_traced(void) { __asm__ volatile("nop"); }
OUTLINE void called_after_trace(void) { __asm__ volatile("nop; nop"); }
OUTLINE void called_traced_again(void) { __asm__ volatile("nop; nop; nop"); }
OUTLINE void called_unseen(void) { __asm__ volatile("nop; nop; nop; nop"); }

/* Whether sleds are what they are in the file. */
UNSEEN static int is_changed(const unsigned char *before)
{
	return memcmp(before, (const void *)called_first, 5) != 0;
}

UNSEEN int main(int argc, char *argv[])
{
	const struct wcm_trace_options log = { .mode = WCM_TRACE_LOG,
					       .output = argc > 1 ? argv[1] : NULL };
	static const char said[] = "called_first\ncalled_traced\ncalled_after_trace\n";
	unsigned char before[5];

	memcpy(before, (const void *)called_first, sizeof(before));
	wcm_flight_start(0);
	called_first();
	if (wcm_trace_start(&log) != WCM_OK)
		return 1;
	called_traced();
	wcm_trace_stop();
	called_after_trace();
	if (wcm_flight_write(STDERR_FILENO) != WCM_OK ||
	    write(STDOUT_FILENO, said, sizeof(said) - 1) < 0 || !is_changed(before))
		return 2;
	if (wcm_trace_start(&(struct wcm_trace_options){ .mode = WCM_TRACE_LOG,
							  .output = "/dev/null" }) != WCM_OK)
		return 3;
	wcm_flight_stop();
	if (!is_changed(before))
		return 4;
	called_traced_again();
	wcm_trace_stop();
	if (is_changed(before))
		return 5;
	called_unseen();
	return wcm_flight_write(STDERR_FILENO) == WCM_EINVAL ? 0 : 6;
}
