/* SPDX-License-Identifier: MIT */
/* library_arguments.c - has a library compare what its functions are given. */
int library_main(int argc, char *argv[]);

int main(int argc, char *argv[])
{
	return library_main(argc, argv);
}
