// SPDX-License-Identifier: MIT
// cxx_exceptions.cc - what does an exception end?  g++ reports the exits of functions
// that it leaves, RET; clang++ does not, and the trace ends them, REX, at the next call.
// after() is called by main() in either case.
//
//	c++ -finstrument-functions -o cxx_exceptions cxx_exceptions.cc
//	whocallme trace --exits ./cxx_exceptions

static void thrower()
{
	throw 1;
}

static void passer()
{
	thrower();
}

static void catcher()
{
	try {
		passer();
	} catch (int) {
	}
}

static void after()
{
}

int main()
{
	catcher();
	after();
}
