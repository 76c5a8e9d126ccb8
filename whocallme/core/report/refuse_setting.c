/* SPDX-License-Identifier: MIT */
/* refuse_setting.c (SAFE) - complains of the value of a setting. */
#include "core/report/refuse_setting.h"

#include "format/line.h"

bool wcm__setting_refuse(int fd, const char *before, char *const from[],
			 enum wcm_setting_id which, const char *wrong)
{
	char takes[WCM_SETTING_TAKES];
	struct wcm_line line;

	wcm__line_begin(&line, fd);
	wcm__line_text(&line, before);
	wcm__line_text(&line, wcm__settings[which].variable);
	wcm__line_text(&line, "=");
	wcm__line_name(&line, wcm__setting(from, which));
	wcm__line_text(&line, wrong);
	wcm__line_text(&line, "; it takes ");
	wcm__line_text(&line, wcm__setting_takes(which, takes));
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
	return false;
}
