/* SPDX-License-Identifier: MIT */
/* probe_plugged.c - a library with probes, one of which has a semaphore. */
#include <whocallme/probe.h>

WCM_PROBE_SEMAPHORE(plugged, guarded);

int plugged(int number);
int plugged(int number)
{
	WCM_PROBE(plugged, called, number);
	if (WCM_PROBE_ENABLED(plugged, guarded))
		WCM_PROBE(plugged, guarded, number);
	return number;
}
