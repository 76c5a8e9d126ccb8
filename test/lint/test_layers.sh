#!/bin/sh
# SPDX-License-Identifier: MIT
# test_layers.sh - each folder contains and calls only what it may: the law of
# whocallme/README.md.
. "$top_srcdir/test/support/tap.sh"

lint=$top_srcdir/test/lint
safe_lib=$top_builddir/.libs/libwcm-safe.a

tap_make_dir
cd "$top_srcdir/whocallme" || exit 99
# A file that may run in a signal handler says so in its first line.
grep -rlE '^/\* [^ ]+ \(SAFE\) - ' --include='*.[chS]' --include=settings.list . |
	sed 's|^\./||' | sort >"$tap_dir/safe"
safe=$(cat "$tap_dir/safe")

# Lines "FILE:HEADER" for each "header" or <header> that the files include.
quoted_includes()
{
	grep -rE '#[[:space:]]*include[[:space:]]*"' "$@" |
		sed 's/:[^"]*"/:/; s/".*//'
}

system_includes()
{
	grep -rE '#[[:space:]]*include[[:space:]]*<' "$@" |
		sed 's/:[^<]*</:/; s/>.*//'
}

# shellcheck disable=SC2086 # a list of files
tap_check "SAFE files include SAFE headers of ours only" \
	"$(quoted_includes $safe |
	   grep -vE ':(whocallme/[a-z0-9_/]+|columns|encoding|gregs|regs|syscall)\.h$' |
	   awk -F : 'NR == FNR { known[$1]; next } !($2 in known)' "$tap_dir/safe" -)"

# shellcheck disable=SC2086
tap_check "SAFE files include only system headers of safe-headers.txt" \
	"$(system_includes $safe |
	   awk -F : 'NR == FNR { known[$1]; next } !($2 in known)' \
		"$lint/safe-headers.txt" -)"

tap_check "<bfd.h> is in load/objects/objfile.c alone" \
	"$(system_includes . | grep -E ':bfd' | grep -v '^\./load/objects/objfile\.c:')"

# Words, in code and comments alike: a port is complete where it is in arch/.
cpu='rip|rsp|rbp|rax|rdi|rsi|eip|esp|ebp|REG_[A-Z0-9]+|gregs?|xmm[0-9]*'
cpu="$cpu|x29|x30|paciasp|xpaclri|x86|x86_64|i[3-6]86|amd64|AMD64"
cpu="$cpu|aarch64|arm64|riscv(64)?|powerpc|ppc64(le)?|s390x?|loongarch(64)?"
cpu="$cpu|__(x86_64|i386|aarch64|arm|riscv|powerpc64|s390x|loongarch)__"
tap_check "only core/arch/ names a CPU or a register" \
	"$(grep -rnwE "$cpu" --include='*.[chS]' . | grep -v '^\./core/arch/')"

tap_check "examples/ see no header of the library but <whocallme.h>" \
	"$(cd .. && grep -rnE '#[[:space:]]*include[[:space:]]*("|<whocallme/)' \
		--include='*.[ch]' --include='*.cc' examples)"

tap_check "plugin/README.md names every file" \
	"$(cd ../plugin && for file in *.cc *.h *.sh; do
		grep -qF "\`$file\`" README.md || echo "$file"
	   done)"

# The symbols that the safe world wants from outside of itself, sorted.
nm -g --defined-only -P "$safe_lib" 2>/dev/null |
	awk 'NF >= 2 { print $1 }' | sort -u >"$tap_dir/defined"
nm -u -P "$safe_lib" 2>/dev/null |
	awk 'NF >= 2 { print $1 }' | sort -u |
	comm -23 - "$tap_dir/defined" >"$tap_dir/wanted"

# What a port has for words that its CPU does not read and write at once.
grep -xE '__atomic_[a-z_]+_8' "$tap_dir/defined" >"$tap_dir/atomics"

# The demanglers of demangler/ are judged below.
# trace/start/trace_start.c, load/at_start.c and load/lines_control.c are pulled into
# a static link by the addresses of these constants; trace/hooks/cyg.c,
# core/modules/modules.c and lines/resolver_session.c refer to them and never follow them.
exceptions='wcm__(trace_control|listed_at_start|lines_control|demangler_(cxx|rust|d))'

# What the first stage of a sled's entry calls, and the variables that it reads.
first_calls='wcm__(return_has_mirror|aside_take|sharing_ask)'
first_reads='wcm__(gate|process|ticks|tracer_own|flight_own|user_hook|user_hook_inside)|wcm__sleds_own_code|wcm__sled_(library|linker)'
first_reads="$first_reads|wcm__(sled_returns|return_range|arch_trampolines|arch_trampoline_distance)"
# The last: every object names the functions on bytes of core/os/own_bytes.h.
first_reads="$first_reads|_GLOBAL_OFFSET_TABLE_|wcm__(mem(cpy|move|set|cmp|chr)|str(len|rchr))"

# object NAME: that of whocallme/.../NAME.c.
object()
{
	find "$top_builddir/whocallme" -name "*safe_la-$1.o" | head -1
}

if [ ! -r "$safe_lib" ]; then
	tap_check "libwcm-safe.a is built" "there is no $safe_lib"
elif [ "$SANITIZERS" != no ]; then
	tap_skip "symbols of libwcm-safe.a" "sanitizers call their own library"
	tap_skip "symbols of the demanglers" "sanitizers call their own library"
	tap_skip "vector registers" "sanitizers call their own library"
else
	# A symbol with objects behind it is a function that a program may replace by one of its
	# own, for which hooks run.  Hooks call none of them: getauxval() and _dl_find_object()
	# are asked for before a trace begins, errno is put back by signal handlers and around
	# the user's hook, which guards against itself, and actions are set by what must be seen
	# by a sanitizer's sigaction().
	tap_check "the signal-safe world calls only what is in safe-symbols.txt, where it may" \
		"$(nm -u -P "$safe_lib" 2>/dev/null |
		   awk -v exceptions="^($exceptions)\$" '
			FILENAME != "-" && !listed { listed = FILENAME }
			FILENAME == listed && NF == 1 { anywhere[$1] }
			FILENAME == listed { for (i = 2; i <= NF; i++) in_object[$1, $i] }
			FILENAME == listed { next }
			FILENAME != "-" { defined[$1]; next }
			NF == 1 { sub(/.*safe_la-/, ""); sub(/\.o\]:$/, ""); object = $0; next }
			!($1 in defined) && !($1 in anywhere) && !(($1, object) in in_object) &&
				$1 !~ exceptions { print object ": " $1 }' \
			"$lint/safe-symbols.txt" "$tap_dir/defined" -)"
	tap_check "so do the demanglers that it calls" \
		"$(nm -u "$top_builddir/whocallme/demangler/copy.o" |
		   awk 'FILENAME != "-" { if (NF == 1) anywhere[$1]; next }
			$2 !~ /^wcm__(demangler_|mem|str)/ && !($2 in anywhere) { print $2 }' \
			"$lint/safe-symbols.txt" -)"
	tap_check "the first stage of a sled calls nothing of libc, nor does what it asks" "$(
		for name in sled_first changed_return trampoline shadow aside sink_record \
			value_moves sink_graph sharing; do
			nm -u "$(object "$name")" |
				awk '$2 !~ /^(wcm__|_GLOBAL_OFFSET_TABLE_)/ { print $2 }'
		done | grep -vxFf "$tap_dir/atomics")"
	tap_check "it calls these alone" "$(nm -u "$(object sled_first)" |
		awk '{ print $2 }' | grep -vxE "$first_calls|$first_reads" |
		grep -vxFf "$tap_dir/atomics")"
	tap_check "it refers to three objects of the ordinary world" \
		"$(grep '^wcm_' "$tap_dir/wanted" | grep -vxE "$exceptions")"
	tap_check "hooks and unwinder touch no vector registers" \
		"$(objdump -d "$safe_lib" | # but for what saves them
		   awk '/^[0-9a-f]+ </ { on = !/<wcm__arch_(sled_entry|first_given(_back)?)>:/ } on' |
		   grep -E '%[xyz]mm[0-9]' | head -5)"
fi
tap_check "safe-symbols.txt is sorted" \
	"$(sort -c "$lint/safe-symbols.txt" 2>&1)"
tap_end
