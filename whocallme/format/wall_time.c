/* SPDX-License-Identifier: MIT */
/* wall_time.c (SAFE) - writes a moment of the calendar as bytes in a buffer.
 *
 * It is in UTC: libc reads the zone from a file and keeps it, which the program may not expect, and
 * lines of several machines and of a night when clocks are set back are in order.
 */
#include "format/wall_time.h"

/* VALUE in as many digits as lie between AT and END. */
static void put(char *at, char *end, uint64_t value)
{
	for (; end > at; value /= 10)
		*--end = (char)('0' + value % 10);
}

/* DAY counts from 1 March of the year 0; February, the last month of such years, is irregular. */
static void put_date(char *buf, uint32_t day)
{
	enum { FOUR_CENTURIES = 146097, FOUR_YEARS = 1461, FIVE_MONTHS = 153 };
	const uint32_t era = day / FOUR_CENTURIES, rest = day % FOUR_CENTURIES;
	const uint32_t year = (rest - rest / (FOUR_YEARS - 1) + rest / 36524 -
			       rest / (FOUR_CENTURIES - 1)) / 365;
	const uint32_t of_year = rest - (365 * year + year / 4 - year / 100);
	const uint32_t month = (5 * of_year + 2) / FIVE_MONTHS; /* 0 is March */

	put(buf, buf + 4, 400 * era + year + (month >= 10));
	put(buf + 5, buf + 7, month < 10 ? month + 3 : month - 9);
	put(buf + 8, buf + 10, of_year - (FIVE_MONTHS * month + 2) / 5 + 1);
	buf[4] = buf[7] = '-';
}

void wcm__format_wall_time(char *buf, uint64_t ns)
{
	enum { SECOND = 1000000000, DAY = 86400, UP_TO_1970 = 719468 /* days */ };
	const uint64_t seconds = ns / SECOND;
	const uint32_t of_day = (uint32_t)(seconds % DAY);

	put_date(buf, (uint32_t)(seconds / DAY) + UP_TO_1970);
	put(buf + 11, buf + 13, of_day / 3600);
	put(buf + 14, buf + 16, of_day / 60 % 60);
	put(buf + 17, buf + 19, of_day % 60);
	put(buf + 20, buf + 29, ns % SECOND);
	buf[10] = 'T';
	buf[13] = buf[16] = ':';
	buf[19] = '.';
	buf[29] = 'Z';
}
