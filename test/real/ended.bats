#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ended.bats - programs that others wrote, with their system calls traced: each ends as it does
# without, with the same output.  "make check-system-calls" runs each RUNS times, and those that
# take long; "make check" the others once.

load ../scenario/support

: "${RUNS:=1}"
export TZ=UTC LC_ALL=C.UTF-8 PERL_HASH_SEED=0 PYTHONHASHSEED=0 HOME=$BATS_FILE_TMPDIR
export GIT_AUTHOR_DATE="1000000000 +0000" GIT_COMMITTER_DATE="1000000000 +0000"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

setup()
{
	[ "$(uname -m)" = x86_64 ] && [ -z "$emulated" ] || skip "x86-64 alone has them"
	not_sanitized "its runtime must be loaded first"
	bin=$BATS_FILE_TMPDIR
	files=$BATS_TEST_TMPDIR/files log=$BATS_TEST_TMPDIR/log chance= must= limit=60
	as=()
}

# dear: a test that takes long.
dear()
{
	[ "$RUNS" -gt 1 ] || skip "make check-system-calls runs it"
}

# in_files COMMAND...: in a folder with the same files each time.
in_files()
{
	rm -rf "$files"
	mkdir "$files"
	head -c 5000 /etc/services >"$files/text"
	[ -z "${given-}" ] || cp -a "$given" "$files"
	status=0
	[ ${#as[@]} -eq 0 ] || chown -R nobody "$files" "$BATS_TEST_TMPDIR"
	(cd "$files" && exec timeout -k 5 "$limit" "$@") </dev/null >"$bin/out" 2>"$bin/err" \
		3>&- 4>&- || status=$?
}

# What a run has left: its status, and its output but for what $chance removes.
left()
{
	echo "status $status"
	sed -E "/^<whocallme>: /d;/^ERROR: ld.so: object '.*libwhocallme/d;$chance" \
		"$bin/out" "$bin/err"
}

# seconds NANOSECONDS
seconds()
{
	awk "BEGIN { printf \"%.2f\", $1 / 1e9 }"
}

# by_nobody: what follows is run by a user who is not root.
by_nobody()
{
	needs runuser
	[ "$(id -u)" -ne 0 ] || {
		as=(runuser -u nobody --)
		chmod a+x "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/{file,test}
		export HOME=$files
		"${as[@]}" "$whocallme" --version >/dev/null || skip "nobody may not run whocallme here"
	}
}

# ends COMMAND...: as it does without a trace, each time; $must is in what it leaves.
ends()
{
	local begin without right=0 run
	begin=$(date +%s%N)
	in_files "${as[@]}" "$@"
	without=$(($(date +%s%N) - begin))
	left >"$bin/expected"
	grep -q -e "$must" "$bin/expected" || { cat "$bin/expected"; return 1; }
	begin=$(date +%s%N)
	for ((run = 0; run < RUNS; run++)); do
		rm -f "$log"
		in_files "${as[@]}" "$whocallme" trace --system-calls --log="$log" -- "$@"
		left >"$bin/left"
		if grep -q '^SYS' "$log" && cmp -s "$bin/expected" "$bin/left"; then
			right=$((right + 1))
		else
			diff -u "$bin/expected" "$bin/left" | head -n 20 | cut -c 1-200
		fi
	done
	echo "# $right of $RUNS: $BATS_TEST_DESCRIPTION ($(seconds $without) s without," \
		"$(seconds $((($(date +%s%N) - begin) / RUNS))) s with)" >&3
	[ "$right" -eq "$RUNS" ]
}

# file NAME: from stdin, in a folder that each run has a copy of.
file()
{
	given=$BATS_TEST_TMPDIR/given/.
	mkdir -p "$BATS_TEST_TMPDIR/given"
	cat >"$BATS_TEST_TMPDIR/given/$1"
}

@test "bash: pipes, traps, jobs, substitutions" {
	file run <<-'END'
		trap 'echo usr1' USR1
		trap 'echo int' INT
		trap 'echo end' EXIT
		kill -USR1 $$
		kill -INT $$
		seq 100 | sort -rn | head -n 3
		cat <(echo one) <(echo two)
		sleep 0.05 & wait $! && echo waited
		sleep 100 & sleep 0.2; kill $!; wait $!; echo "$?"
		coproc cat; echo through >&"${COPROC[1]}"; read -r line <&"${COPROC[0]}"; echo "$line"
		(exit 3) || echo "$?"
		echo "$(echo "$(echo nested)")"
		timeout -s INT 0.1 sleep 10; echo "$?"
		ulimit -S -c 0
		bash -c 'kill -SEGV $$' 2>/dev/null; echo "$?"
		exit 7
	END
	chance='s/ +[0-9]+ (Segm|Term)/ \1/'
	ends bash run
}

@test "dash and zsh" {
	needs zsh
	ends zsh -fc 'dash -c "echo a | cat; (exit 4)"; echo $?; for i in {1..3}; do echo $i & wait; done'
}

@test "make: four jobs at once, one of which fails" {
	needs make
	file Makefile <<-'END'
		all: $(foreach n,1 2 3 4 5 6 7 8,part$(n)); cat $^
		part%: ; @sleep 0.0$*; echo $* >$@
		fails: all; exit 3
	END
	ends make -s -j4 -O fails
}

@test "git: commits, a clone, a merge, a collection" {
	needs git
	file run <<-'END'
		set -e
		git init -q -b main one; cd one
		for i in 1 2 3; do echo $i >file$i; git add .; git commit -qm "number $i"; done
		git checkout -qb side HEAD~1; echo x >side; git add side; git commit -qm side
		git checkout -q main; git merge -q --no-edit side
		git gc -q; git fsck 2>/dev/null
		git clone -q . ../two; cd ../two; git log --format=%H%s | cat
		git grep -n 3; git stash list; git blame file1; git archive HEAD | md5sum
	END
	ends sh run
}

@test "python3: subprocesses" {
	dear
	needs python3
	file run.py <<-'END'
		import subprocess, os, signal
		print(subprocess.run(['sort', '-r'], input=b'a\nb\n', capture_output=True).stdout)
		print(subprocess.run('exit 3', shell=True).returncode)
		try:
		    subprocess.run(['sleep', '10'], timeout=0.2)
		except subprocess.TimeoutExpired:
		    print('expired')
		p = subprocess.Popen(['sleep', '10'], preexec_fn=os.setsid)
		os.killpg(p.pid, signal.SIGTERM)
		print(p.wait())
		p = subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
		print(p.communicate(b'x' * 200000)[0] == b'x' * 200000)
	END
	ends python3 run.py
}

@test "python3: multiprocessing by fork, forkserver and spawn" {
	dear
	needs python3
	file run.py <<-'END'
		import multiprocessing, concurrent.futures
		def square(x):
		    return x * x
		if __name__ == '__main__':
		    for way in 'fork', 'forkserver', 'spawn':
		        with multiprocessing.get_context(way).Pool(2) as pool:
		            print(way, pool.map(square, range(5)))
		    with concurrent.futures.ProcessPoolExecutor(2) as pool:
		        print(list(pool.map(square, range(5))))
	END
	ends python3 run.py
}

@test "python3: threads, asyncio, KeyboardInterrupt" {
	dear
	needs python3
	file run.py <<-'END'
		import asyncio, os, signal, sys, threading, time
		def work(n):
		    for _ in range(20):
		        time.sleep(0.001)
		    done.append(n)
		done = []
		threads = [threading.Thread(target=work, args=(n,)) for n in range(10)]
		[t.start() for t in threads]
		[t.join() for t in threads]
		print(sorted(done))
		async def child():
		    p = await asyncio.create_subprocess_exec('echo', 'hello', stdout=asyncio.subprocess.PIPE)
		    print(await p.communicate(), p.returncode)
		asyncio.run(child())
		begun = time.monotonic()
		try:
		    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
		    time.sleep(20)
		except KeyboardInterrupt:
		    print('interrupted', time.monotonic() - begun < 10)
		signal.setitimer(signal.ITIMER_REAL, 0.05)
		signal.signal(signal.SIGALRM, lambda *a: sys.exit(9))
		signal.pause()
	END
	ends python3 run.py
}

@test "python3 dies of SIGINT, and of SIGSEGV with its faulthandler" {
	dear
	needs python3
	chance='s/0x[0-9a-f]+/X/g'
	ends bash -c 'ulimit -c 0; python3 -c "import os; os.kill(os.getpid(), 2)"; echo $?
		python3 -c "import signal, os; signal.signal(11, lambda *a: print(1)); os.kill(os.getpid(), 11)"'
}

@test "node: children, workers, a server, a signal" {
	dear
	needs node
	file run.js <<-'END'
		const cp = require('child_process'), fs = require('fs'), http = require('http');
		const { Worker, isMainThread, parentPort } = require('worker_threads');
		if (!isMainThread) { parentPort.postMessage(6 * 7); } else (async () => {
			console.log(cp.execSync('echo sync').toString());
			console.log(await new Promise(r => new Worker(__filename).on('message', r)));
			console.log(await new Promise(r => cp.spawn('sh', ['-c', 'exit 5']).on('exit', r)));
			console.log((await fs.promises.readFile('text')).length);
			const server = http.createServer((q, a) => a.end('served')).listen(0, () =>
				http.get({ port: server.address().port }, a => a.on('data', d => {
					console.log(d.toString()); server.close(); server.closeAllConnections();
					process.on('SIGUSR2', () => { console.log('usr2'); process.exit(4); });
					process.kill(process.pid, 'SIGUSR2'); setTimeout(() => {}, 20000);
				})));
		})();
	END
	ends node run.js
}

@test "java: threads, a process, a null pointer, a hook at its end" {
	dear
	needs java javac
	file Run.java <<-'END'
		import java.util.concurrent.*;
		public class Run {
			static String none;
			public static void main(String[] a) throws Exception {
				ExecutorService pool = Executors.newFixedThreadPool(4);
				int sum = 0;
				Callable<Integer> one = () -> 1;
				for (Future<Integer> f : pool.invokeAll(java.util.Collections.nCopies(50, one)))
					sum += f.get();
				pool.shutdown();
				System.out.println(sum);
				Process p = new ProcessBuilder("sh", "-c", "echo child; exit 6").start();
				System.out.print(new String(p.getInputStream().readAllBytes()));
				System.out.println(p.waitFor());
				for (int i = 0; i < 20000; i++)
					try { none.length(); } catch (NullPointerException e) { sum++; }
				System.gc();
				System.out.println(sum);
				Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("over")));
				System.exit(8);
			}
		}
	END
	(cd "$BATS_TEST_TMPDIR/given" && javac Run.java)
	ends java -cp . Run
}

@test "perl: forks, pipes, alarms, signals" {
	dear
	needs perl
	file run.pl <<-'END'
		$| = 1;
		my $pid = fork; if (!$pid) { print "child\n"; exit 3 } waitpid $pid, 0; print $? >> 8, "\n";
		open my $p, '-|', 'echo piped' or die; print <$p>; close $p;
		print `echo ticks`; system 'exit 2'; print $? >> 8, "\n";
		eval { local $SIG{ALRM} = sub { die "alarm\n" }; alarm 1; select undef, undef, undef, 10 };
		print $@; $SIG{USR1} = sub { print "usr1\n" }; kill USR1 => $$;
		kill TERM => $$; sleep 10;
	END
	ends perl run.pl
}

@test "tar with gzip, xz and zstd" {
	ends sh -c 'tar czf a.tgz text && tar cJf a.txz text && mkdir x && tar xzvf a.tgz -C x &&
		tar xJOf a.txz | md5sum; cmp x/text text; tar tf none.tar'
}

@test "find, xargs, sort, grep, awk" {
	dear
	ends sh -c 'seq 2000 | xargs -n 50 -P 4 sh -c "echo \$#" a | sort | uniq -c
		find . -type f -exec wc -c {} + ; grep -c tcp text; awk "END { print NR }" text
		seq 20000 | sort -R --parallel=4 | sort -n | md5sum
		find /nowhere; seq 3 | xargs -I{} sh -c "exit {}"; echo $?; nohup true; setsid -w sh -c "exit 9"'
}

@test "apt-get --simulate, apt-cache, dpkg" {
	dear
	needs apt-get apt-cache dpkg
	ends sh -c 'apt-get --simulate -qq install hello; apt-cache policy hello | head -2
		apt-cache -q show bash | head -5; dpkg -s bash | head -3; dpkg -S /bin/bash; dpkg-query -W dpkg'
}

@test "gdb: a breakpoint, a stack, a fork, an end" {
	needs gdb
	file one.c <<-'END'
		#include <stdio.h>
		#include <unistd.h>
		#include <sys/wait.h>
		int inner(int x) { return x + 1; }
		int main(void)
		{
			int status;
			if (fork() == 0)
				_exit(2);
			wait(&status);
			return inner(status >> 8);
		}
	END
	$CC -g -O0 -o "$BATS_TEST_TMPDIR/given/one" "$BATS_TEST_TMPDIR/given/one.c"
	chance='s/0x[0-9a-f]+/X/g;s/process [0-9]+/process/'
	ends gdb -nx -q -batch -ex 'set debuginfod enabled off' -ex 'break inner' -ex run -ex bt \
		-ex finish -ex 'catch fork' -ex continue -ex 'print $_exitcode' ./one
}

@test "strace -f of a program, and attached to one" {
	dear
	needs strace
	strace -o /dev/null true 2>/dev/null || skip "strace does not trace here"
	ends sh -c 'strace -f -qq -e trace=execve,write -e signal=none -o s sh -c "echo a; exit 3"; echo $?
		grep -c execve s; sed -n "s/.*\(write.*\)/\1/p" s
		sleep 0.5 & strace -qq -e trace=none -e signal=none -p $!; echo $?'
}

@test "bubblewrap" {
	needs bwrap
	bwrap --ro-bind / / true || skip "bwrap does not work here"
	ends sh -c 'bwrap --ro-bind / / true; echo $?
		bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev sh -c "echo \$\$; ls /proc/self/fd | wc -l; exit 3"; echo $?
		bwrap --unshare-all --die-with-parent --new-session --cap-drop ALL --tmpfs / --ro-bind /usr /usr \
			--symlink usr/lib /lib --symlink usr/lib64 /lib64 --symlink usr/bin /bin sh -c "ls /; kill -TERM \$\$"; echo $?'
}

@test "unshare, setpriv, chroot, nsenter, su" {
	[ "$(id -u)" -eq 0 ] || skip "only root can"
	ends sh -c 'unshare -Urpf --mount-proc sh -c "echo \$\$; id -u; ls /proc | grep -c ^[0-9]"
		setpriv --reuid 65534 --clear-groups --no-new-privs id -u; chroot / sh -c "exit 3"; echo $?
		nsenter -t $$ -m -u -i -n true; echo $?; su nobody -s /bin/sh -c "id -u; exit 4"; echo $?
		runuser -u nobody -- sh -c "exit 5"; echo $?'
}

@test "sqlite3" {
	needs sqlite3
	ends sqlite3 a.db 'create table t(x); with recursive c(x) as (select 1 union all select x+1 from c
		limit 2000) insert into t select x from c; pragma journal_mode=wal; update t set x=x+1;
		select sum(x) from t; .shell echo shell' 'select nothing'
}

@test "curl of a file and of a server" {
	dear
	needs curl python3
	file run.py <<-'END'
		import http.server, subprocess, threading
		class Quiet(http.server.SimpleHTTPRequestHandler):
		    def log_message(self, *a):
		        pass
		server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Quiet)
		threading.Thread(target=server.serve_forever, daemon=True).start()
		url = 'http://127.0.0.1:%d/' % server.server_address[1]
		print(len(subprocess.check_output(['curl', '-s', url + 'text'])))
		print(subprocess.call(['curl', '-sf', url + 'none']))
		server.shutdown()
	END
	ends sh -c 'curl -s file://$PWD/text | md5sum; python3 run.py; curl -s http://127.0.0.1:1/; echo $?'
}

@test "ssh-keygen, openssl, gpg" {
	needs ssh-keygen openssl
	ends sh -c 'ssh-keygen -q -t ed25519 -N "" -f key && ssh-keygen -y -P "" -f key | cut -c 1-20
		openssl genrsa 1024 2>/dev/null | openssl rsa -check -noout; openssl dgst -sha256 text
		gpg --version | head -1; echo | openssl enc -aes-128-cbc -pass pass:a | wc -c'
}

@test "man, script, watch, tmux: terminals" {
	dear
	ends sh -c 'command -v man >/dev/null && man -P cat true | head -3
		script -qec "tty >/dev/null && echo terminal; exit 3" /dev/null; echo $?
		if command -v tmux >/dev/null; then
			tmux -S ./s -f /dev/null new -d "echo in tmux >done; sleep 0.1"; sleep 1; cat done
			tmux -S ./s kill-server 2>/dev/null; echo over
		fi'
}

@test "gcc, g++, ld, ar" {
	file one.c <<<'int main(void) { return 3; }'
	ends sh -c 'gcc -O2 -flto one.c -o one && ./one; echo $?; echo "int x = y;" | gcc -xc -c - 2>&1 | grep -c error
		gcc -c one.c && ar rcs one.a one.o && nm one.a; gcc -static one.c -o two && ./two; echo $?'
}

@test "a Go program, with cgo and without, and go itself" {
	dear
	needs go
	file main.go <<-'END'
		package main
		import ("fmt"; "os"; "os/exec"; "os/signal"; "sync"; "syscall"; "time")
		func main() {
			var w sync.WaitGroup
			n := make(chan int, 100)
			for i := 0; i < 100; i++ { w.Add(1); go func() { time.Sleep(time.Millisecond); n <- 1; w.Done() }() }
			w.Wait()
			out, err := exec.Command("sh", "-c", "echo child; exit 3").Output()
			fmt.Println(len(n), string(out), err)
			c := make(chan os.Signal, 1)
			signal.Notify(c, syscall.SIGUSR1)
			syscall.Kill(os.Getpid(), syscall.SIGUSR1)
			fmt.Println(<-c)
			os.Exit(6)
		}
	END
	file cgo.go <<-'END'
		package main
		// static int twice(int x) { return 2 * x; }
		import "C"
		func init() { println(C.twice(21)) }
	END
	(cd "$BATS_TEST_TMPDIR/given" && export GOCACHE=$BATS_TEST_TMPDIR/cache GO111MODULE=off &&
		go build -o with main.go cgo.go && go build -o without -ldflags -linkmode=external main.go)
	limit=120
	ends sh -c './with; echo $?; ./without; echo $?; go version; go env GOARCH'
}

@test "a headless browser" {
	dear
	needs chromium
	file page.html <<<'<body><script>document.body.append(6 * 7 + " made")</script></body>'
	limit=120
	chance='/^status|<html>/!d' must='42 made'
	ends chromium --headless --no-sandbox --disable-gpu --user-data-dir=profile --dump-dom page.html
}

@test "a headless browser in its sandbox" {
	dear
	needs chromium
	by_nobody
	file page.html <<<'<body><script>document.body.append(6 * 7 + " made")</script></body>'
	limit=120
	chance='/^status|<html>/!d' must='42 made'
	ends chromium --headless --disable-gpu --user-data-dir=profile --dump-dom page.html
}

@test "postgres: a cluster, queries, pgbench" {
	dear
	PATH=$(echo /usr/lib/postgresql/*/bin | tr ' ' :):$PATH
	needs initdb pg_ctl psql pgbench
	by_nobody
	file run <<-'END'
		initdb -D data -A trust -U me >/dev/null 2>&1; echo $?
		pg_ctl -D data -w -l server -o "-k $PWD -c listen_addresses=" start; echo $?
		psql="psql -h $PWD -U me -d postgres -At"
		$psql -c 'select sum(x) from generate_series(1, 1000) x'
		pgbench -h $PWD -U me -qis 1 postgres >/dev/null 2>&1; echo $?
		pgbench -h $PWD -U me -c 4 -j 2 -t 50 postgres 2>&1 | grep -c 'processed: 200/200'
		$psql -c 'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()' 2>/dev/null | sort -u | tail -1
		$psql -c 'set max_parallel_workers_per_gather = 2; set parallel_setup_cost = 0; select count(*) from pgbench_accounts'
		pg_ctl -D data -w -m fast stop; echo $?
		grep -c 'PANIC\|signal' server
	END
	limit=180
	chance='s/^.*waiting/waiting/'
	ends sh run
}

@test "make check of a small project" {
	dear
	load programs.bash
	local package=hello
	[ -n "$(tarball $package)" ] || fetch $package
	[ -n "$(tarball $package)" ] || skip "apt-get has no source of it"
	given=$BATS_TEST_TMPDIR/given/.
	unpack $package "$BATS_TEST_TMPDIR/given"
	(cd "$BATS_TEST_TMPDIR/given" && ./configure -q && make -s) >"$bin/built" 2>&1
	limit=300
	chance='/^(status|PASS|SKIP)/!d' must='^PASS: '
	ends make -k check
}
