/* SPDX-License-Identifier: MIT */
/* abbrevs.h - refuses debug data whose abbreviations are out of proportion to it.
 *
 * libdw reads the table of a unit up to what its entries ask for, and for each unit anew:
 * where many share one, or begin within each other's, that is the square of the section.
 */
#ifndef WCM_TOOL_ABBREVS_H
#define WCM_TOOL_ABBREVS_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* Whether what libdw may read of DWARF's tables is no more than debug data that was not
 * made to harm has; or there is no memory to tell. */
bool abbrevs_are_fit(Dwarf *dwarf);

#endif
