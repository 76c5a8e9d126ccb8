/* SPDX-License-Identifier: MIT */
/* test_classic.c - the original library's calls, on this very program. */
#include <whocallme.h>

#ifdef WITH_BFD
#include <bfd.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "support/check.h"

#define OUTLINE __attribute__((noinline))

/* A function of one byte, a gap of 63, and a function without a size.  By .skip, since RISC-V's
 * .balign begins where an instruction may. */
__asm__(".text\n"
	"	.balign 64\n"
	"	.globl one_byte\n"
	"	.type one_byte, %function\n"
	"one_byte:\n"
	"	.byte 0\n"
	"	.size one_byte, 1\n"
	"	.skip 63\n"
	"	.globl no_size\n"
	"	.type no_size, %function\n"
	"no_size:\n"
	"	.skip 64\n"
	"	.globl after_it\n"
	"	.type after_it, %function\n"
	"after_it:\n"
	"	.byte 0\n"
	"	.size after_it, 1\n"
	"	.skip 63\n");
extern char one_byte[], no_size[], after_it[];

static unsigned long address(const void *of)
{
	return (unsigned long)of;
}

/* Send what is written to FD into a pipe; the original descriptor is kept. */
struct diversion {
	int fd, kept, out;
};

static struct diversion divert(int fd)
{
	struct diversion diversion = { .fd = fd, .kept = dup(fd) };
	int ends[2];

	CHECK_EQ(pipe2(ends, O_DIRECT | O_NONBLOCK), 0);
	dup2(ends[1], fd);
	close(ends[1]);
	diversion.out = ends[0];
	return diversion;
}

/* End it; what the first write wrote is copied to TEXT. */
static void end_diversion(struct diversion diversion, char *text, size_t room)
{
	ssize_t size = read(diversion.out, text, room - 1);

	text[size > 0 ? size : 0] = '\0';
	dup2(diversion.kept, diversion.fd);
	close(diversion.kept);
	close(diversion.out);
}

TEST(init_succeeds_whatever_the_program_calls_itself)
{
	CHECK_EQ(init_function_table(NULL), 0);
	CHECK_EQ(wcm_status_get(), WCM_OK);
	CHECK_EQ(init_function_table("/nowhere/at/all"), 0);
	CHECK_EQ(init_function_table(""), 0);
	CHECK_EQ(wcm_status_get(), WCM_OK);
}

static void *ask_status(void *result)
{
	*(enum wcm_status *)result = wcm_status_get();
	return NULL;
}

TEST(each_thread_has_its_own_status)
{
	enum wcm_status status = WCM_EINVAL;
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, ask_status, &status), 0);
	pthread_join(thread, NULL);
	CHECK_EQ(status, WCM_OK);
}

static void *init_often(void *failed)
{
	for (int i = 0; i < 20; i++)
		if (init_function_table(NULL) != 0 ||
		    !find_function_by_addr(address((void *)init_often)))
			__atomic_store_n((bool *)failed, true,
					 __ATOMIC_RELAXED);
	return NULL;
}

TEST(init_may_be_called_from_any_thread_at_any_time)
{
	enum { THREADS = 4 };
	pthread_t thread[THREADS];
	bool failed = false;

	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, init_often, &failed),
			 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	CHECK(!failed);
}

static OUTLINE int plain_static_function(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

TEST(own_functions_are_named_from_the_first_byte_to_the_last)
{
	unsigned long start = address((void *)plain_static_function);
	struct wcm_symbol symbol;

	CHECK_EQ(wcm_symbol_find(start, &symbol), WCM_OK);
	CHECK_STR(symbol.name, "plain_static_function");
	CHECK_EQ(symbol.address, start);
	CHECK_EQ(symbol.offset, 0);
	CHECK(symbol.size > 0);
	CHECK_STR(find_function_by_addr(start), "plain_static_function");
	CHECK_STR(find_function_by_addr(start + symbol.size - 1),
		  "plain_static_function");
	CHECK(plain_static_function(1) == 1);
}

TEST(a_gap_is_nobodys)
{
	CHECK_STR(find_function_by_addr(address(one_byte)), "one_byte");
	for (int i = 1; i < 64; i++)
		CHECK(find_function_by_addr(address(one_byte) + i) == NULL);
}

TEST(a_function_without_a_size_reaches_to_the_next)
{
	struct wcm_symbol symbol;

	for (int i = 0; i < 64; i++)
		CHECK_STR(find_function_by_addr(address(no_size) + i),
			  "no_size");
	CHECK_STR(find_function_by_addr(address(after_it)), "after_it");
	CHECK_EQ(wcm_symbol_peek(address(no_size), &symbol), WCM_OK);
	CHECK(symbol.flags & WCM_SYMBOL_UNSIZED);
}

TEST(what_is_no_code_has_no_name)
{
	static int data = 1;
	int local;
	void *heap = malloc(1);
	struct wcm_symbol symbol;

	CHECK(find_function_by_addr(0) == NULL);
	CHECK(find_function_by_addr(1) == NULL);
	CHECK(find_function_by_addr(~0ul) == NULL);
	CHECK(find_function_by_addr(address(&data)) == NULL);
	CHECK(find_function_by_addr(address(&local)) == NULL);
	CHECK(find_function_by_addr(address(heap)) == NULL);
	CHECK_EQ(wcm_symbol_find(address(heap), &symbol), WCM_ENOMODULE);
	CHECK_EQ(wcm_symbol_peek(address(&data), &symbol), WCM_ENOSYMS);
	CHECK(symbol.module != NULL);
	CHECK_EQ(wcm_symbol_find(address(&data), &symbol), WCM_OK);
	CHECK(symbol.flags & WCM_SYMBOL_DATA);
	free(heap);
}

#ifdef WITH_BFD
static void of_the_program(const char *format, va_list arguments)
{
	(void)format, (void)arguments;
}

TEST(the_programs_handler_of_bfd_stays)
{
	const bfd_error_handler_type first = bfd_set_error_handler(of_the_program);
	struct wcm_functions *functions;

	CHECK_EQ(wcm_functions_load(&functions, "/proc/self/exe"), WCM_OK);
	wcm_functions_free(functions);
	CHECK(bfd_set_error_handler(first) == of_the_program);
}
#else
TEST(the_programs_handler_of_bfd_stays)
{
}
#endif

TEST(functions_of_libraries_are_named)
{
	struct wcm_symbol symbol;

	CHECK_EQ(wcm_symbol_find(address((void *)_cmocka_run_group_tests),
				 &symbol),
		 WCM_OK);
	CHECK_STR(symbol.name, "_cmocka_run_group_tests");
	CHECK(strstr(symbol.module, "libcmocka") != NULL);
}

static OUTLINE const char *somebody(void)
{
	return who_am_i();
}

TEST(who_am_i_is_the_calling_function)
{
	CHECK_STR(who_am_i(), "who_am_i_is_the_calling_function");
	CHECK_STR(somebody(), "somebody");
}

static OUTLINE void asked(void)
{
	who_call_me();
}

static OUTLINE void the_caller(void)
{
	asked();
	__asm__ volatile("");
}

TEST(who_call_me_is_one_write)
{
	struct diversion diversion = divert(STDERR_FILENO);
	char text[4096];

	the_caller();
	end_diversion(diversion, text, sizeof(text));
	CHECK_STR(text,
		  "<whocallme>: function <the_caller> call me <asked>!\n");
}

TEST(full_backtrace_starts_at_its_caller)
{
	struct diversion diversion = divert(STDERR_FILENO);
	char text[4096];
	int count = full_backtrace();

	end_diversion(diversion, text, sizeof(text));
	CHECK(count >= 1);
	CHECK(strncmp(text, "#0 0x", 5) == 0);
	CHECK(strstr(text, " in full_backtrace_starts_at_its_caller+0x"));
}

/* Every call of the headers that carries WCM_SIGSAFE. */
static void call_all_that_are_safe(const ucontext_t *context)
{
	struct wcm_frame frames[8];
	struct wcm_symbol symbol;
	enum wcm_stop stop;
	size_t count = wcm_stack_capture(frames, 8, 0, &stop);

	wcm_stack_write(STDERR_FILENO, frames, count);
	wcm_stack_write(-1, frames, count);
	wcm_stack_capture_from(context, frames, 8, 0, &stop);
	wcm_stack_capture_from(NULL, frames, 8, 0, &stop);
	wcm_stop_text(stop);
	wcm_status_text(WCM_ENOMEM);
	wcm_version();
	wcm_symbol_peek(address((void *)memcpy), &symbol);
	wcm_symbol_peek(0, &symbol);
	find_function_by_addr(address((void *)malloc));
	who_am_i();
	who_call_me();
	full_backtrace();
	wcm_call_write(NULL, NULL, "\xff");
	__cyg_profile_func_enter((void *)memcpy, NULL);
	__cyg_profile_func_exit((void *)memcpy, NULL);
	wcm_trace_stop();
}

TEST(safe_calls_leave_errno_alone)
{
	int kept = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
	ucontext_t context;
	int seen[2];

	CHECK_EQ(wcm_trace_start(&(struct wcm_trace_options){ .fd = null }),
		 WCM_OK);
	getcontext(&context);
	dup2(null, STDERR_FILENO);
	errno = 4711;
	call_all_that_are_safe(&context);
	seen[0] = errno;
	close(STDERR_FILENO);
	errno = 4711;
	call_all_that_are_safe(&context);
	seen[1] = errno;
	dup2(kept, STDERR_FILENO);
	close(kept);
	close(null);
	CHECK_EQ(seen[0], 4711);
	CHECK_EQ(seen[1], 4711);
}

TEST(unknown_options_are_refused)
{
	struct wcm_trace_options trace = { .mode = 77 };

	CHECK_EQ(wcm_trace_start(&trace), WCM_EINVAL);
	trace = (struct wcm_trace_options){ .reserved = { 1 } };
	CHECK_EQ(wcm_trace_start(&trace), WCM_EINVAL);
	trace = (struct wcm_trace_options){ .flags = UINT32_C(1) << 31 };
	CHECK_EQ(wcm_trace_start(&trace), WCM_EINVAL);
}

TEST(crash_options_that_make_no_sense_are_refused)
{
	static char longest[4097];
	const struct wcm_crash_options refused[] = {
		{ .flags = 0x400 },
		{ .flags = 1u << 31 },
		{ .flags = WCM_CRASH_FILE_ONLY },
		{ .flags = WCM_CRASH_APPEND },
		{ .sections = 0x100 },
		{ .reserved[0] = 1 },
		{ .reserved[1] = 1 },
		{ .file = "" },
		{ .file = "%" },
		{ .file = "report.%d" },
		{ .file = "report.%p%" },
		{ .file = longest },
	};

	memset(longest, 'x', sizeof(longest) - 1);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		CHECK_EQ(wcm_crash_install(&refused[i]), WCM_EINVAL);
}

TEST(every_status_and_stop_reason_has_words)
{
	for (int i = 1; i >= -20; i--)
		CHECK(*wcm_status_text((enum wcm_status)i) != '\0');
	for (int i = 0; i < 20; i++)
		CHECK(*wcm_stop_text((enum wcm_stop)i) != '\0');
	CHECK_STR(wcm_status_text(WCM_OK), "success");
	CHECK_STR(wcm_version(), WCM_VERSION);
}

TEST(files_that_are_no_object_have_a_status_each)
{
	struct wcm_functions *functions = (void *)&functions;

	CHECK_EQ(wcm_functions_load(&functions, "/nowhere"), WCM_EOPEN);
	CHECK(functions == NULL);
	CHECK_EQ(wcm_functions_load(&functions, "/etc/passwd"),
		 WCM_ENOTOBJECT);
	CHECK_EQ(wcm_functions_load(&functions, "/"), WCM_ENOTOBJECT);
	CHECK_EQ(wcm_functions_load(&functions, "/dev/null"), WCM_ENOTOBJECT);
	wcm_functions_free(NULL);
}

TEST(a_file_and_the_process_agree)
{
	struct wcm_functions *functions;
	struct wcm_function function;
	struct wcm_symbol symbol;

	CHECK_EQ(wcm_functions_load(&functions, "/proc/self/exe"), WCM_OK);
	CHECK_EQ(wcm_symbol_find(address((void *)somebody), &symbol), WCM_OK);
	CHECK(wcm_functions_find(functions, symbol.module_offset, &function));
	CHECK_STR(function.name, "somebody");
	CHECK_EQ(function.address, symbol.module_offset);
	CHECK_EQ(function.size, symbol.size);
	CHECK(wcm_functions_count(functions) > 20);
	for (size_t i = 1; i < wcm_functions_count(functions); i++)
		CHECK(wcm_functions_get(functions, i - 1).address <=
		      wcm_functions_get(functions, i).address);
	wcm_functions_free(functions);
}

RUN(the_programs_handler_of_bfd_stays, init_succeeds_whatever_the_program_calls_itself,
    each_thread_has_its_own_status,
    init_may_be_called_from_any_thread_at_any_time,
    own_functions_are_named_from_the_first_byte_to_the_last, a_gap_is_nobodys,
    a_function_without_a_size_reaches_to_the_next, what_is_no_code_has_no_name,
    functions_of_libraries_are_named, who_am_i_is_the_calling_function,
    who_call_me_is_one_write, full_backtrace_starts_at_its_caller,
    safe_calls_leave_errno_alone, unknown_options_are_refused,
    crash_options_that_make_no_sense_are_refused,
    every_status_and_stop_reason_has_words,
    files_that_are_no_object_have_a_status_each, a_file_and_the_process_agree)
