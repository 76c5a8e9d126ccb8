/* SPDX-License-Identifier: MIT */
/* status.c (SAFE) - statuses in words, and the library's version. */
#include "whocallme/base.h"
#include "whocallme/version.h"

const char *wcm_status_text(enum wcm_status status)
{
	switch (status) {
#define X(name, value, text) \
	case WCM_##name:     \
		return text;
		WCM_STATUS_MAP(X)
#undef X
	}
	return "unknown status";
}

const char *wcm_version(void)
{
	return WCM_VERSION;
}
