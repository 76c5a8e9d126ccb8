/* SPDX-License-Identifier: MIT */
/* gate.c (SAFE) - the gate's one variable. */
#include "trace/engine/gate.h"

struct wcm_gate wcm__gate;
