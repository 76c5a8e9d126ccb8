/* SPDX-License-Identifier: MIT */
/* filtered_elsewhere.c - a function of another file. */
void elsewhere(void);

void elsewhere(void)
{
}
