// SPDX-License-Identifier: MIT
// read.cc - the second unit of shapes.cc.
#include "shapes.h"

#include <algorithm>
#include <stdexcept>

namespace shapes
{

static double number(const std::string &text, std::size_t at)
{
	if (at >= text.size())
		throw std::runtime_error(text + " has no number");
	return std::stod(text.substr(at));
}

list read(const std::vector<std::string> &words)
{
	list result;

	for (const std::string &word : words) {
		std::size_t x = word.find('x');

		if (std::count(word.begin(), word.end(), 'x') != 1)
			throw std::invalid_argument(word);
		if (word.find('.') == std::string::npos)
			result.push_back(std::make_unique<box<int>>(
				int(number(word, 0)), int(number(word, x + 1))));
		else
			result.push_back(std::make_unique<box<double>>(
				number(word, 0), number(word, x + 1)));
	}
	return result;
}

} // namespace shapes
