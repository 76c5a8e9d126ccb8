/* SPDX-License-Identifier: MIT */
/* unwatched_sink.h (SAFE) - a sink that calls another out of sight of the program's sanitizers. */
#ifndef WCM_FILTER_UNWATCHED_SINK_H
#define WCM_FILTER_UNWATCHED_SINK_H

#include "trace/engine/sink.h"

/* SINK, or where the program has a sanitizer one that calls SINK unwatched; no hook may
 * be running.  A program without a sanitizer pays nothing. */
const struct wcm_sink *wcm__unwatched_sink(const struct wcm_sink *sink);

#endif
