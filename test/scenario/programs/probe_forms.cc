/* SPDX-License-Identifier: MIT */
/* probe_forms.cc - probes in all that C++ has functions for. */
#include <whocallme/probe.h>

enum class scoped : short { LOW = -1 };

struct object {
	int value;
	explicit object(int given) : value(given) { WCM_PROBE(forms, constructor, value); }
	~object() { WCM_PROBE(forms, destructor, value); }
	int method() { WCM_PROBE(forms, method, this, value); return value; }
};

inline int is_inline(int value)
{
	WCM_PROBE(forms, is_inline, value);
	return value;
}

template <typename T> T instance(T value)
{
	WCM_PROBE(forms, instance, value);
	return value;
}

namespace inner {
WCM_PROBE_SEMAPHORE(forms, guarded);
int guarded(int value)
{
	if (WCM_PROBE_ENABLED(forms, guarded))
		WCM_PROBE(forms, guarded, value * 2);
	return value;
}
}

int other(int value); /* of another file */

int main(int argc, char **)
{
	auto lambda = [&](int value) { WCM_PROBE(forms, lambda, value, argc); };
	int &reference = argc;
	object thing(argc);

	lambda(2);
	WCM_PROBE(forms, references, reference, scoped::LOW, nullptr, &object::value);
	try {
		throw argc;
	} catch (int caught) {
		WCM_PROBE(forms, caught, caught);
	}
	return thing.method() + is_inline(argc) + instance(3) + instance('c') +
	       instance(true) + (instance(2.5) > 2) + inner::guarded(argc) + other(argc);
}
