/* SPDX-License-Identifier: MIT */
/* cxx_elsewhere.cc - the second translation unit that has in_header(). */
#include "cxx.h"

CALLER void zoo::elsewhere(int)
{
	in_header();
	NO_TAIL_CALL;
}
