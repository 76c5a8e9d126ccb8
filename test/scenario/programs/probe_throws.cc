/* SPDX-License-Identifier: MIT */
/* probe_throws.cc - exceptions, counted as they are thrown, thrown again and caught. */
#include <cstdio>
#include <stdexcept>
#include <thread>

static thread_local int thrown, again, caught;
static int all[3];

static void work()
{
	for (int i = 0; i < 50; i++) {
		try {
			try {
				thrown++;
				throw std::runtime_error("thrown");
			} catch (const std::exception &) {
				caught++;
				if (i % 5 == 0) {
					again++;
					throw;
				}
			}
		} catch (...) {
			caught++;
		}
	}
	__atomic_fetch_add(&all[0], thrown, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&all[1], again, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&all[2], caught, __ATOMIC_SEQ_CST);
}

int main()
{
	std::thread other(work);

	work();
	other.join();
	std::printf("%d catch\n%d rethrow\n%d throw\n", all[2], all[1], all[0]);
}
