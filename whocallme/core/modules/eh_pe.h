/* SPDX-License-Identifier: MIT */
/* eh_pe.h (SAFE) - lists the pointer encodings that linkers and compilers usually write (LSB,
 * "DWARF Exception Header Encoding").  cursor.c reads all others, too. */
#ifndef WCM_MODULES_EH_PE_H
#define WCM_MODULES_EH_PE_H

#define WCM_EH_PE_OMIT 0xffu
#define WCM_EH_PE_UDATA4 0x03u
#define WCM_EH_PE_SDATA4 0x0bu
#define WCM_EH_PE_PCREL_SDATA4 0x1bu
#define WCM_EH_PE_TEXTREL 0x20u
#define WCM_EH_PE_DATAREL_SDATA4 0x3bu

#endif
