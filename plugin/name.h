// SPDX-License-Identifier: GPL-3.0-or-later
// name.h - the names of functions.
#ifndef WCM_NAME_H
#define WCM_NAME_H

// As the assembler has it.
const char *wcm_assembler_name(tree function);

#endif
