// SPDX-License-Identifier: MIT
/* words.cc - dies in functions that have long names, and by what only C++ has. */
#include <cstdlib>
#include <cstring>
#include <exception>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>
#ifdef AWARE
#include <whocallme.h>
#endif

#define KEPT __attribute__((noinline))

/* Exported, as the preload library sees no others. */
namespace shop {
struct Item {
	int price;
};

template <typename T, typename U> struct Basket {
	KEPT void add(const T &item, U *where);
};

template <typename T, typename U> KEPT void Basket<T, U>::add(const T &item, U *where)
{
	*(volatile U *)where = (U)item.price;
}

template <typename T> KEPT int *(*chooser(T value))(T)
{
	Basket<Item, int>().add(Item{ (int)value }, nullptr);
	return nullptr;
}

KEPT void fill(std::vector<int> prices)
{
	chooser(prices[0]);
	__asm__ volatile("");
}
}

/* What rustc and a D compiler would have exported. */
extern "C" {
KEPT void rust_legacy() __asm__("_ZN4core3ops8function6FnOnce9call_once17h0123456789abcdefE");
KEPT void rust_v0() __asm__("_RNvNtC5crate5inner4take");
KEPT void d_name() __asm__("_D5store4Shop4sellMFiAyaZv");

void d_name()
{
	shop::fill({ 1, 2 });
	__asm__ volatile("");
}

void rust_v0()
{
	d_name();
	__asm__ volatile("");
}

void rust_legacy()
{
	rust_v0();
	__asm__ volatile("");
}
}

KEPT static void names()
{
	rust_legacy();
	__asm__ volatile("");
}

extern "C" KEPT void *wait_in_thread(void *);

namespace shop {
KEPT void wait_for(std::string)
{
	for (;;)
		pause();
}
}

void *wait_in_thread(void *argument)
{
	shop::wait_for("customers");
	return argument;
}

static void names_of_threads()
{
	pthread_t thread;

	pthread_create(&thread, nullptr, wait_in_thread, nullptr);
	usleep(100000);
	names();
}

static void throws_error()
{
	throw std::out_of_range("no \"such\" \x1b item");
}

static void throws_own()
{
	struct Own : std::runtime_error {
		Own() : std::runtime_error("not this") {}
		const char *what() const noexcept override { return "but this"; }
	};

	throw Own();
}

/* std::exception is not the first of their bases, or is where their tables say. */
struct Number {
	long number = 42;
	virtual ~Number() {}
};
struct Named { const char *name = "nobody"; };
struct Second : Number, std::runtime_error {
	Second() : std::runtime_error("the second base") {}
};
struct Plain : Named, std::logic_error {
	Plain() : std::logic_error("behind a plain base") {}
};
struct Deep : Named, Second {
	char more[40];
};
struct Virtual : Number, virtual std::runtime_error {
	Virtual() : std::runtime_error("a virtual base") {}
};
struct Shared : Virtual {
	Shared() : std::runtime_error("a virtual base of a base") {}
};
struct Hidden : Number, private std::runtime_error {
	Hidden() : std::runtime_error("not this") {}
};
struct Other : Number, std::runtime_error {
	Other() : std::runtime_error("not this") {}
	const char *what() const noexcept override { return "but this"; }
};

static void throws_second() { throw Second(); }
static void throws_plain() { throw Plain(); }
static void throws_deep() { throw Deep(); }
static void throws_virtual() { throw Virtual(); }
static void throws_shared() { throw Shared(); }
static void throws_hidden() { throw Hidden(); }
static void throws_other() { throw Other(); }
static void throws_number() { throw 42; }
static void throws_text() { throw "just text"; }

static void throws_again()
{
	std::exception_ptr kept;

	try {
		throws_error();
	} catch (...) {
		kept = std::current_exception();
	}
	std::rethrow_exception(kept);
}

static void throws_in_noexcept() noexcept { throws_error(); }
static void terminates() { std::terminate(); }

namespace shop {
struct Part {
	Part() { call(); }
	virtual ~Part() {}
	KEPT void call() { work(); }
	virtual void work() = 0;
};
struct Whole : Part {
	void work() override {}
};
}

static void calls_pure() { shop::Whole whole; }

static const struct {
	const char *name;
	void (*die)();
} deaths[] = {
	{ "throws_error", throws_error },
	{ "throws_own", throws_own },
	{ "throws_second", throws_second },
	{ "throws_plain", throws_plain },
	{ "throws_deep", throws_deep },
	{ "throws_virtual", throws_virtual },
	{ "throws_shared", throws_shared },
	{ "throws_hidden", throws_hidden },
	{ "throws_other", throws_other },
	{ "throws_number", throws_number },
	{ "throws_text", throws_text },
	{ "throws_again", throws_again },
	{ "throws_in_noexcept", throws_in_noexcept },
	{ "terminates", terminates },
	{ "calls_pure", calls_pure },
	{ "names", names },
	{ "names_of_threads", names_of_threads },
};

int main(int argc, char *argv[])
{
#ifdef AWARE
	struct wcm_crash_options options = {};
	const char *how = getenv("NAMES");

	options.flags = WCM_CRASH_NO_LINES | (getenv("JSON") ? WCM_CRASH_JSON : 0u) |
			(how && !strcmp(how, "full") ? WCM_CRASH_FULL_NAMES : 0u) |
			(how && !strcmp(how, "no") ? WCM_CRASH_MANGLED_NAMES : 0u);
	if (wcm_crash_install(&options) != WCM_OK)
		return 3;
#endif
	for (const auto &death : deaths)
		if (argc > 1 && !strcmp(death.name, argv[1]))
			death.die();
	return 2;
}
