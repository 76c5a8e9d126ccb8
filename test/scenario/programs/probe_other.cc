/* SPDX-License-Identifier: MIT */
/* probe_other.cc - another file with the inline functions, and the semaphore, of probe_forms.cc. */
#include <whocallme/probe.h>

inline int is_inline(int value)
{
	WCM_PROBE(forms, is_inline, value);
	return value;
}

int other(int value);
int other(int value)
{
	WCM_PROBE(forms, guarded, value);
	WCM_PROBE(forms, other, value);
	return is_inline(value);
}
