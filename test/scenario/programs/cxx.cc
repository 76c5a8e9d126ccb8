/* SPDX-License-Identifier: MIT */
/* cxx.cc - every kind of C++ function asks. */
#include "cxx.h"

template <typename T> static void in_template(T)
{
	who_call_me();
}

extern "C" void in_c(void);
extern "C" void in_c(void)
{
	who_call_me();
}

CALLER void Zoo::call_all()
{
	in_static(1);
	NO_TAIL_CALL;
	in_method("x");
	NO_TAIL_CALL;
	in_template(1);
	NO_TAIL_CALL;
	in_template(1.0);
	NO_TAIL_CALL;
	in_header();
	NO_TAIL_CALL;
	in_c();
	NO_TAIL_CALL;
	auto lambda = [] { who_call_me(); };
	lambda();
	NO_TAIL_CALL;
}

CALLER void Zoo::in_static(int)
{
	who_call_me();
}

CALLER void Zoo::in_method(const char *)
{
	who_call_me();
}

int main(int, char *argv[])
{
	init_function_table(argv[0]);
	Zoo().call_all();
	zoo::elsewhere(2);
	return 0;
}
