#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# servers.bats - system calls of Debian's servers at work, and of a Java program: they answer.
# strace judges each call of nginx, and counts as many of redis whose number no chance decides.

load ../scenario/support
load ../scenario/system_calls

setup_file()
{
	mkdir -p "$BATS_FILE_TMPDIR/java"
	cat >"$BATS_FILE_TMPDIR/java/Hello.java" <<-'END'
		public class Hello { public static void main(String[] a) { System.out.println("hello"); } }
	END
}

# await_port NUMBER
await_port()
{
	local i
	for ((i = 0; i < 300; i++)); do
		! (exec 8<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null || return 0
		sleep 0.1
	done
	return 1
}

# counts NAME...: how often each is in the log, and in strace's, but for those in vain.
counts()
{
	local name
	for name; do
		echo "$name $(grep "^SYS.* $name(" "$bin/log" | grep -vc 'EAGAIN')"
	done
}

strace_counts()
{
	local name
	for name; do
		echo "$name $(grep "^[0-9]* *$name(" "$bin/strace" | grep -vc 'EAGAIN')"
	done
}

@test "redis-server under redis-benchmark" {
	needs redis-server redis-benchmark redis-cli
	needs_strace
	local way
	for way in "strace -f -o $bin/strace" \
		"$whocallme trace --system-calls --no-signals --log=$bin/log"; do
		rm -f "$bin/log"
		# shellcheck disable=SC2086 # a list
		timeout 120 $way redis-server --port 7391 --save "" --daemonize no \
			>"$bin/server" 2>&1 3>&- 4>&- &
		await_port 7391
		timeout 100 redis-benchmark -p 7391 -n 2000 -c 10 -t set,get -q >"$bin/client"
		[ "$(grep -c 'requests per second' "$bin/client")" -ge 2 ]
		redis-cli -p 7391 shutdown nosave || :
		wait $! || blame_server
	done
	diff -u <(strace_counts socket bind listen accept4 exit_group) \
		<(counts socket bind listen accept4 exit_group)
}

blame_server()
{
	cat "$bin/server"
	return 1
}

@test "nginx serving 1,000 requests" {
	PATH=$PATH:/usr/sbin
	needs nginx ab
	needs_strace
	local way
	mkdir -p "$bin/www"
	head -c 3000 /etc/services >"$bin/www/page" 2>/dev/null || echo page >"$bin/www/page"
	cat >"$bin/nginx.conf" <<-END
		daemon off; master_process off; pid $bin/nginx.pid; error_log $bin/nginx.err;
		events { }
		http { sendfile on; access_log off; server { listen 127.0.0.1:7392; root $bin/www; } }
	END
	chmod -R a+rX "$bin" && chmod a+x "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/file"
	for way in "strace -f -xx -s 32 -o $bin/strace" \
		"$whocallme trace --system-calls --no-signals --log=$bin/log"; do
		rm -f "$bin/log"
		# shellcheck disable=SC2086 # a list
		timeout 120 $way nginx -c "$bin/nginx.conf" >"$bin/server" 2>&1 3>&- 4>&- &
		await_port 7392
		timeout 100 ab -q -n 1000 -c 1 http://127.0.0.1:7392/page >"$bin/client"
		grep -q '^Failed requests: *0$' "$bin/client"
		grep -q '^Complete requests: *1000$' "$bin/client"
		kill -QUIT "$(cat "$bin/nginx.pid")"
		wait $! || blame_server
	done
	$call_judge "$bin/log" "$bin/strace"
	[ "$(counts sendfile)" = "sendfile 1000" ]
}

@test "a Java program" {
	needs java javac
	cd "$bin/java"
	javac Hello.java
	traced --no-signals --system-calls java -cp . Hello
	expect_status 0
	[ "$(cat "$out")" = hello ]
	grep -q '^SYS.*write(1, "hello' "$bin/log"
	[ "$(sed -nE 's/^SYS +([0-9]+) .*/\1/p' "$bin/log" | sort -u | wc -l)" -ge 8 ]
}
