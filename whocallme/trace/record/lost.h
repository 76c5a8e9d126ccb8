/* SPDX-License-Identifier: MIT */
/* lost.h - says on stderr how many events of a trace were lost, and why. */
#ifndef WCM_MODES_LOST_H
#define WCM_MODES_LOST_H

#include <stdint.h>

/* Say on stderr how many events of the trace were lost, and why, if any were. */
void wcm__lost_tell(void);

/* The same of a recording to DIRECTORY, which had no room for WITHOUT_ROOM of them, and whose file
 * info was not changed REFUSED times. */
void wcm__lost_tell_recording(const char *directory, uint64_t without_room, uint64_t refused);

#endif
