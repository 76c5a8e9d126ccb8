/* SPDX-License-Identifier: MIT */
/* record_session.h - a session of a recording: one program in one process, and
 * where its modules are.
 */
#ifndef WCM_MODES_RECORD_SESSION_H
#define WCM_MODES_RECORD_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/modules/modules.h"
#include "core/symbols/slot_names.h"

/* Begin one. */
bool wcm__session_write(void);

/* The address of execve(2) in this process's session before, or in its parent's; 0:
 * there was none. */
uint64_t wcm__session_find_execve(void);

/* The executable, or NULL where it is not known. */
const struct wcm_known_module *wcm__session_executable(void);

/* The place of NAMES, which is made up, as a module. */
struct wcm_known_module wcm__session_place(const struct wcm_slot_names *names);

/* The name of SLOT in the files of symbols and values. */
const char *wcm__session_symbol(const struct wcm_slot_name *slot);

/* Whether functions of MODULE will be in the session, most likely: it calls the hooks, or
 * holds execve(2) or fork(2); and cannot be unloaded. */
bool wcm__session_calls(const struct wcm_known_module *module);

/* The path of MODULE, as all files of a recording have it: uftrace reads it up to the
 * first space. */
void wcm__session_write_path(FILE *file, const struct wcm_known_module *module);

/* Its build-id. */
void wcm__session_write_id(FILE *file, const struct wcm_known_module *module);

/* Where execve(2) is, if not in this library, which exec.c is in, and fork(2), whatever
 * the program takes its address to be; 0: there is but one. */
extern uintptr_t wcm__session_execve __attribute__((visibility("hidden")));
extern uintptr_t wcm__session_fork __attribute__((visibility("hidden")));

#endif
