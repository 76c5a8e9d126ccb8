/* SPDX-License-Identifier: MIT */
/* record.c - a uftrace data directory. */
#include "trace/backend.h"

const struct wcm_backend wcm__backend_record = { .sink = NULL };
