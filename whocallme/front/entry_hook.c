/* SPDX-License-Identifier: MIT */
/* entry_hook.c - has a function of the program's own be called at every entry.
 *
 * Sleds are calls for it as they are for a trace.  What was set before may still be about to
 * be called by a thread, so it is never freed.
 */
#include <stdlib.h>

#include "core/modules/stay.h"
#include "core/os/owner.h"
#include "load/load.h"
#include "trace/sleds/sleds.h"
#include "trace/sleds/user_hook.h"

static struct wcm_owner setter;

static void publish(const struct wcm_user_hook *hook)
{
	__atomic_store_n(&wcm__user_hook, hook, __ATOMIC_SEQ_CST);
}

static enum wcm_status set(void (*function)(const struct wcm_entry *entry), void *data)
{
	struct wcm_user_hook *hook;

	if (!function) {
		publish(NULL);
		return wcm__sleds_off(WCM_SLEDS_FOR_HOOK) ? WCM_OK : WCM_ESYSTEM;
	}
	hook = malloc(sizeof(*hook));
	if (!hook)
		return WCM_ENOMEM;
	*hook = (struct wcm_user_hook){ .function = function, .data = data };
	wcm__load_all(NULL);
	publish(hook);
	if (wcm__sleds_on(WCM_SLEDS_FOR_HOOK).failure == WCM_SLEDS_DONE)
		return WCM_OK;
	publish(NULL);
	wcm__sleds_off(WCM_SLEDS_FOR_HOOK);
	return WCM_ESYSTEM;
}

enum wcm_status wcm_hook_set(void (*hook)(const struct wcm_entry *entry), void *data)
{
	enum wcm_status status;

	wcm__stay();
	if (wcm__owner_take(&setter, UINT64_MAX, wcm__owner_has_ended) != WCM_OWNED)
		return WCM_EINVAL;
	status = set(hook, data);
	wcm__owner_give_back(&setter);
	return status;
}

/* ISO C has no cast from a function's to an object's address. */
union plain {
	void (*function)(void);
	void *data;
};

static void call_plain(const struct wcm_entry *entry)
{
	(union plain){ .data = entry->data }.function();
}

enum wcm_status wcm_hook(void (*hook)(void))
{
	return wcm_hook_set(hook ? call_plain : NULL,
			    (union plain){ .function = hook }.data);
}
