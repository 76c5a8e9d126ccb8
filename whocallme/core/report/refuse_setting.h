/* SPDX-License-Identifier: MIT */
/* refuse_setting.h (SAFE) - complains of the value of a setting. */
#ifndef WCM_REPORT_REFUSE_SETTING_H
#define WCM_REPORT_REFUSE_SETTING_H

#include "format/settings.h"

/* Write a line of the library's own to FD: BEFORE, the value that the setting has in FROM, as
 * wcm__setting() has it, what is WRONG with it, and what it takes.  Returns false. */
bool wcm__setting_refuse(int fd, const char *before, char *const from[],
			 enum wcm_setting_id which, const char *wrong);

#endif
