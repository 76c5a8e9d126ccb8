/* SPDX-License-Identifier: MIT */
/* record_info.h - writes the file `info`: what was recorded, and on which machine. */
#ifndef WCM_MODES_RECORD_INFO_H
#define WCM_MODES_RECORD_INFO_H

#include <stdbool.h>

/* Write it, without tasks. */
bool wcm__info_write(void);

/* Say in it how deep the calls went; and on stderr how many events were lost. */
void wcm__info_finish(void);

#endif
