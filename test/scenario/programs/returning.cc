// SPDX-License-Identifier: MIT
// returning.cc - templates whose names stand inside of the type that they return.
#include <string>
#include <utility>
#include <vector>

typedef void (*function)(int);
typedef function (*function_of_function)(long);
typedef int (&array)[3];
struct shape;
typedef int (shape::*method)(int) const;
typedef int shape::*member;

struct shape {
	int sides;
	int area(int) const;
	template <class T> function get(T);
	template <class T> operator T() const;
	template <class T> operator std::vector<T>();
	operator function() const;
};

static int numbers[3];

void called(int) {}
function called_for(long) { return called; }
int shape::area(int times) const { return times; }
template <class T> function shape::get(T) { return called; }
template <class T> shape::operator T() const { return T(); }
template <class T> shape::operator std::vector<T>() { return std::vector<T>(); }
shape::operator function() const { return called; }

template <class T> function a_function(T) { return called; }
template <class T> function const *a_pointer(T) { return nullptr; }
template <class T> function_of_function a_function_of_function(T)
{
	return called_for;
}
template <class T> array an_array(T) { return numbers; }
template <class T> method a_method(T) { return &shape::area; }
template <class T> member a_member(T) { return &shape::sides; }
template <class T> auto automatic(T value)
{
	return [value](T other) { return value + other; };
}
template <class T> decltype(auto) as_declared(T value) { return value; }
template <class T> auto by_arrow(T value) -> decltype((value) + 1)
{
	return value + 1;
}
std::string tagged() { return "tagged"; }

template <class T> struct ordered {
	template <class U> function operator<(U) { return called; }
	template <class U> function operator<<(U) { return called; }
	template <class U> function operator->*(U) { return called; }
	template <class U> function operator()(U) { return called; }
};

namespace {
template <class T> function unnamed(T) { return called; }
struct hidden {
	template <class T> method get(T) { return &shape::area; }
};
}

static std::string before_main = tagged();

int main()
{
	shape square = { 4 };
	function is = called;

	square.get(1);
	(void)(char)square;
	(void)square.operator function();
	(void)square.operator std::vector<int>();
	a_function(1);
	a_pointer(1);
	a_function_of_function(1);
	an_array(1);
	a_method(1);
	a_member(1);
	automatic(1)(2);
	as_declared(1);
	by_arrow(1);
	ordered<int>() < 1;
	ordered<int>() << 1;
	ordered<int>()->*1;
	ordered<int>()(1);
	unnamed(1);
	hidden().get(1);
	(void)std::forward<function>(is);
	(void)std::forward<void (&)(int)>(called);
	return tagged().size() != 6;
}
