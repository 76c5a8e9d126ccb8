// SPDX-License-Identifier: MIT
// cxx_virtual.cc - who is called by a virtual call, and through a pointer to a member?
//
//	c++ -finstrument-functions -o cxx_virtual cxx_virtual.cc
//	whocallme trace ./cxx_virtual

struct Shape {
	virtual int corners() const { return 0; }
};

struct Square : Shape {
	int corners() const override { return 4; } // this one, each time
};

static int ask(const Shape &shape)
{
	return shape.corners();
}

static int ask_by_pointer(const Shape &shape, int (Shape::*question)() const)
{
	return (shape.*question)();
}

int main()
{
	Square square;

	return ask(square) != 4 || ask_by_pointer(square, &Shape::corners) != 4;
}
