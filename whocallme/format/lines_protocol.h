/* SPDX-License-Identifier: MIT */
/* lines_protocol.h (SAFE) - requests to the resolver, "whocallme resolve --serve", and its answers.
 *
 * A request is a line, BUILDID:PATH+0xADDRESS, either part before the plus being enough;
 * control bytes and backslashes of PATH are written \xNN.  Where there is no build-id,
 * =TAG:PATH+0xADDRESS has the tag of the file that is mapped (file_tag.h), in 16 digits, all
 * of them 0 where that file cannot be shown to be there still.  The answer is, for each function
 * at the address, innermost first,
 *
 *	FUNCTION
 *	FILE:LINE:COLUMN
 *
 * as addr2line -fi has it, unknown names and zeros being what is unknown, perhaps with
 * lines of source text behind, each beginning with a tab; before them, perhaps, a line that
 * begins with a complaint's mark and says what is wrong with the file, once a file; and
 * an empty line at the end.  Control bytes in names are escaped as in a request.
 */
#ifndef WCM_FORMAT_LINES_PROTOCOL_H
#define WCM_FORMAT_LINES_PROTOCOL_H

#define WCM_PROTOCOL_UNKNOWN "??"
#define WCM_PROTOCOL_COMPLAINT "! "
#define WCM_PROTOCOL_TAG "="
#define WCM_PROTOCOL_PLUS "+0x" /* the last one of a line is before the address */

enum {
	WCM_PROTOCOL_SOURCE = '\t',

	/* Bytes. */
	WCM_REQUEST_SIZE = 16384, /* the most of one */
	WCM_ANSWER_SIZE = 65536,  /* an answer is shorter */
	WCM_LEAST_BUILD_ID = 4,
	WCM_MOST_BUILD_ID = 64,   /* GNU ld writes 20 */
};

#endif
