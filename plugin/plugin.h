// SPDX-License-Identifier: GPL-3.0-or-later
// plugin.h - the headers of gcc that the files here have in common, in the order that they need.
#ifndef WCM_PLUGIN_H
#define WCM_PLUGIN_H

#include "gcc-plugin.h"

#include "tree.h"
#include "gimple.h"

#endif
