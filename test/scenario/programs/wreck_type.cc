/* SPDX-License-Identifier: MIT */
/* wreck_type.cc - what a heap that was written over makes of an uncaught exception: its type
 * is named by a secret.  With an argument it is left whole. */
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <sys/prctl.h>
#include <whocallme.h>

struct thrown {
	int value;
};

static char *secret()
{
	char *text = static_cast<char *>(malloc(64));

	return text ? strcpy(text, "hunter2") : nullptr;
}

int main(int argc, char **)
{
	static std::uintptr_t named[2];
	enum { TYPE_BEFORE = sizeof(void *) == 8 ? 112 : 80 }; /* the object (Itanium C++ ABI) */

	wcm_crash_install(nullptr);
	std::set_terminate(abort); /* libstdc++'s own says it, too */
	prctl(PR_SET_DUMPABLE, 0);
	named[1] = reinterpret_cast<std::uintptr_t>(secret());
	try {
		throw thrown{ argc };
	} catch (thrown &caught) {
		auto *type = reinterpret_cast<std::uintptr_t *>(
			reinterpret_cast<char *>(&caught) - TYPE_BEFORE);

		if (argc == 1)
			*type = reinterpret_cast<std::uintptr_t>(named);
		throw;
	}
}
