/* SPDX-License-Identifier: MIT */
/* kind.h (SAFE) - what a source says of an event beside the call: its kind, and its words.
 *
 * A source fills it for as long as the event is handled; a mode renders it, late at most as long.
 */
#ifndef WCM_ENGINE_KIND_H
#define WCM_ENGINE_KIND_H

struct wcm_passed;
struct wcm_probe_hit;
struct wcm_system_call;

enum wcm_event_kind { WCM_EVENT_FUNCTION, WCM_EVENT_SYSTEM, WCM_EVENT_PROBE };

struct wcm_told {
	enum wcm_event_kind kind;
	union {
		const struct wcm_passed *passed; /* what a function is given, or gives back */
		struct wcm_system_call *system;
		const struct wcm_probe_hit *probe;
	};
};

#endif
