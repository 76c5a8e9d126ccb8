/* SPDX-License-Identifier: MIT */
/* one_thread.h - the library's threads end while the program changes what its threads may. */
#ifndef WCM_FRONT_ONE_THREAD_H
#define WCM_FRONT_ONE_THREAD_H

#include <stdbool.h>

/* End the library's threads, if this process has some.  True: they are to be begun again by the
 * second call, with what the calling thread may by then.  Other callers wait between the two. */
bool wcm__own_threads_rest(void);
void wcm__own_threads_go_on(void);

#endif
