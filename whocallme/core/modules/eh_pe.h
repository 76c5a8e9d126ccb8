/* SPDX-License-Identifier: MIT */
/* eh_pe.h (SAFE) - the pointer encodings that linkers and compilers write (LSB, "DWARF Exception
 * Header Encoding"), of which the others are read, but never met on a short way. */
#ifndef WCM_MODULES_EH_PE_H
#define WCM_MODULES_EH_PE_H

#define WCM_EH_PE_OMIT 0xffu
#define WCM_EH_PE_UDATA4 0x03u
#define WCM_EH_PE_SDATA4 0x0bu
#define WCM_EH_PE_PCREL_SDATA4 0x1bu
#define WCM_EH_PE_TEXTREL 0x20u
#define WCM_EH_PE_DATAREL_SDATA4 0x3bu

#endif
