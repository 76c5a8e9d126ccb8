/* SPDX-License-Identifier: MIT */
/* own_line.h (SAFE) - how each line begins that the library itself has to say. */
#ifndef WCM_FORMAT_OWN_LINE_H
#define WCM_FORMAT_OWN_LINE_H

#define WCM_OWN_LINE "<whocallme>: "

#endif
