/* SPDX-License-Identifier: MIT */
/* modes.h - the modes of tracing. */
#ifndef WCM_MODES_MODES_H
#define WCM_MODES_MODES_H

#include "trace/engine/sink.h"

extern const struct wcm_sink wcm__mode_pairs, wcm__mode_addresses, wcm__mode_log,
	wcm__mode_record, wcm__mode_graph;

#endif
