/* SPDX-License-Identifier: MIT */
/* sled_enter.h - what the call in a sled comes to. */
#ifndef WCM_SLED_SLED_ENTER_H
#define WCM_SLED_SLED_ENTER_H

#include "core/arch/arch.h"

wcm_sled_hook wcm__sled_entered;

#endif
