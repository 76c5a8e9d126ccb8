// SPDX-License-Identifier: GPL-3.0-or-later
// modes.cc - the list of modes.
#include "plugin.h"

#include "modes.h"

const wcm_mode *const wcm_modes[] = { &wcm_serial, &wcm_hooks, &wcm_sled, &wcm_probes, NULL };
