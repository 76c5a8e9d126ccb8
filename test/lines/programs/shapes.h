// SPDX-License-Identifier: MIT
// shapes.h - classes that two units use, so that both have their inline members.
#ifndef SHAPES_H
#define SHAPES_H

#include <memory>
#include <string>
#include <vector>

namespace shapes
{

struct shape {
	virtual ~shape() = default;
	virtual double area() const = 0;
	virtual std::string name() const
	{
		return "shape";
	}
};

template <typename T> class box : public shape
{
public:
	box(T width, T height) : width_(width), height_(height)
	{
	}
	double area() const override
	{
		return static_cast<double>(width_) * height_;
	}
	std::string name() const override
	{
		return "box of " + std::to_string(width_) + " by " +
		       std::to_string(height_);
	}

private:
	T width_, height_;
};

using list = std::vector<std::unique_ptr<shape>>;

list read(const std::vector<std::string> &words);

} // namespace shapes

#endif
