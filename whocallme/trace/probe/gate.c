/* SPDX-License-Identifier: MIT */
/* gate.c - the gate's one variable. */
#include "trace/probe/gate.h"

struct wcm_gate wcm__gate;
