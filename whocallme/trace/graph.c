/* SPDX-License-Identifier: MIT */
/* graph.c - who called whom, counted. */
#include "trace/backend.h"

const struct wcm_backend wcm__backend_graph = { .sink = NULL };
