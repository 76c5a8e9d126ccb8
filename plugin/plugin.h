// SPDX-License-Identifier: GPL-3.0-or-later
// plugin.h - the headers of gcc that the files here have in common, in the order that they need.
#ifndef WCM_PLUGIN_H
#define WCM_PLUGIN_H

// gcc poisons names that these use.
#include <map>
#include <string>
#include <vector>

#include "gcc-plugin.h"

#include "backend.h"
#include "tree.h"
#include "gimple.h"
#include "basic-block.h"
#include "cgraph.h"
#include "diagnostic-core.h"
#include "gimple-iterator.h"
#include "ssa.h"
#include "stringpool.h"
#include "attribs.h"
#include "tree-pass.h"

#endif
