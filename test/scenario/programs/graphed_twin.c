/* SPDX-License-Identifier: MIT */
/* graphed_twin.c - a function of a name that another has, too. */
int twin_elsewhere(int value);

static int twin(int value)
{
	return value;
}

int twin_elsewhere(int value)
{
	return twin(value);
}
