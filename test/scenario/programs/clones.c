/* SPDX-License-Identifier: MIT */
/* clones.c - calls functions that have the names of compilers' clones. */
int scale(int) __asm__("scale.constprop.0");
int twice(int) __asm__("_Z5twicei.isra.0.part.1");
int inner(int) __asm__("inner.1");
int fast(int) __asm__("fast.avx2");
int kept(int) __asm__("kept.llvm.1234567");
int other(int) __asm__("other.words");

int scale(int x) { return x; }
int twice(int x) { return x; }
int inner(int x) { return x; }
int fast(int x) { return x; }
int kept(int x) { return x; }
int other(int x) { return x; }

int main(void)
{
	return scale(0) + twice(0) + inner(0) + fast(0) + kept(0) + other(0);
}
