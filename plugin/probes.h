// SPDX-License-Identifier: GPL-3.0-or-later
// probes.h - mode=probes: static probes.
#ifndef WCM_PROBES_H
#define WCM_PROBES_H

// Probes are of the provider NAME, which stays.
void wcm_probes_by(const char *name);

#endif
