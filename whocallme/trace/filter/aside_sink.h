/* SPDX-License-Identifier: MIT */
/* aside_sink.h (SAFE) - a sink that calls another where there is room for what that does. */
#ifndef WCM_FILTER_ASIDE_SINK_H
#define WCM_FILTER_ASIDE_SINK_H

#include "trace/engine/sink.h"

/* A sink that calls SINK as aside.h has it; no hook may be running. */
const struct wcm_sink *wcm__aside_sink(const struct wcm_sink *sink);

#endif
