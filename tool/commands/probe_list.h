/* SPDX-License-Identifier: MIT */
/* probe_list.h - what `whocallme functions --probes` lists. */
#ifndef WCM_TOOL_PROBE_LIST_H
#define WCM_TOOL_PROBE_LIST_H

#include "modules/build_id.h"

/* Each static probe of FILE: a line; or JSON, a member of its object. */
void probe_list_print(const struct elf_file *file);
void probe_list_json(const struct elf_file *file);

#endif
