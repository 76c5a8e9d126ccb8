// SPDX-License-Identifier: GPL-3.0-or-later
// address.h - what depends on the CPU that gcc compiles for.
#ifndef WCM_ADDRESS_H
#define WCM_ADDRESS_H

// How many NOPs of the shortest kind the library's sleds have: room for a call, with which it
// replaces them.  And the text of a sled, of as few instructions as may be.
#if defined __x86_64__ || defined __i386__
#define WCM_SLED_NOPS 5
#define WCM_SLED ".byte\t0x0f, 0x1f, 0x44, 0x00, 0x00"
#elif defined __aarch64__
#define WCM_SLED_NOPS 2
#define WCM_SLED "nop\n\tnop"
#else
#define WCM_SLED_NOPS 5
#define WCM_SLED "nop\n\tnop\n\tnop\n\tnop\n\tnop"
#endif

// How a byte's register is told in a probe's note: as include/whocallme/probe.h does.
#if defined __x86_64__ || defined __i386__
#define WCM_PROBED_BYTE "k"
#else
#define WCM_PROBED_BYTE ""
#endif

// Appends to SEQ an instruction that gives its own address, and returns that as an unsigned
// long; or 0, where there is none such, and the runtime takes its return address.
tree wcm_own_address(gimple_seq *seq, location_t location);

#endif
