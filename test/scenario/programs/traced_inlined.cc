/* SPDX-License-Identifier: MIT */
/* traced_inlined.cc - exceptions that leave functions inlined into the one that catches
 * them, or into one on the way: each is heard of while it is handled or cleaned up
 * after. */
static volatile int sum;

struct Thing {
	int worth;
	explicit Thing(int n) : worth(n) { sum += n; }
	~Thing() { sum -= worth; }
};

static inline void throwing_foo(int n)
{
	if (n % 2)
		throw n;
	sum++;
}

static inline void note(int n)
{
	sum += n;
}

/* It has nothing to clean up, and calls more than one. */
static inline void passing(int n)
{
	note(n);
	throwing_foo(n);
	note(n);
}

/* It cleans up itself. */
static inline void holding(int n)
{
	Thing own(n);
	passing(n);
}

/* It catches one kind, and throws another. */
static inline void changing(int n)
{
	try {
		throwing_foo(n);
	} catch (int) {
		note(n);
		throw 1.5;
	}
}

/* Nothing leaves it. */
static inline void catching(int n)
{
	try {
		throwing_foo(n);
	} catch (int) {
		note(n);
	}
}

__attribute__((noinline)) static void work(int n)
{
	try {
		Thing first(n), second(n + 1);
		throwing_foo(n);
	} catch (int) {
		note(n);
	}
	note(n);
	try {
		holding(n);
		note(n);
	} catch (int) {
		note(n);
	}
	try {
		catching(n);
		changing(n);
	} catch (double) {
		note(n);
	}
	note(n);
}

int main()
{
	for (int n = 0; n < 6; n++)
		work(n);
	return 0;
}
