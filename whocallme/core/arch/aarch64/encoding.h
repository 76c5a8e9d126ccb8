/* SPDX-License-Identifier: MIT */
/* aarch64/encoding.h (SAFE) - instructions that are written, and how large what is made of them
 * is. */
#ifndef WCM_ARCH_ENCODING_H
#define WCM_ARCH_ENCODING_H

#include <stdint.h>

/* Each a word (Arm Architecture Reference Manual, C6.2). */
#define WCM_NOP UINT32_C(0xd503201f)
#define WCM_B UINT32_C(0x14000000)
#define WCM_ADR_X16_8 UINT32_C(0x10000050) /* adr x16, .+8 */
#define WCM_LDR_X17_8 UINT32_C(0x58000051) /* ldr x17, .+8 */
#define WCM_BR_X17 UINT32_C(0xd61f0220)

/* bti c, which assemblers know by another name alone. */
#define WCM_LANDING_TEXT "hint #34\n\t"

/* As trampoline.c makes them. */
enum { WCM_TRAMPOLINE_SIZE = 8, WCM_TRAMPOLINE_CALL = 4 };

#endif
