#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pages.py - runs the commands of a page, and compares what they print with what it shows.

    pages.py fences PAGE           prints its fences that are run
    pages.py run PAGE FOLDER       runs them in FOLDER, prints what differs

A page has these fences; what is in others is not run:

    ```console      "$ COMMAND" lines, each followed by what it prints, as on a terminal
    ```sh           commands that must succeed; what they print is not compared
    ```LANG NAME    a file, which is put into FOLDER

A line "..." stands for any lines, "..." within a line for any text.  Before a fence may stand
"<!-- not run: REASON -->", and anywhere "<!-- run: COMMAND -->", which a reader does not see.
"""
import difflib
import os
import re
import signal
import subprocess
import sys

SHOWN_FOLDER = '/tmp/demo'
TIMEOUT = 60
DIFF_LINES = 60
FENCE, COMMAND = '\x01', '\x02'

# What differs from run to run and machine to machine, in this order.
MASKS = [(re.compile(pattern, re.M), by) for pattern, by in [
    (r'^.*: line \d+: +\d+ (Segmentation|Aborted|Terminated|Killed|Quit|Trace).*\n', ''),
    (r'(?<=\d)\'(?=\d{3})', ''),
    (r'\d{4}-\d\d-\d\dT[\d:.]+Z', 'TIME'),
    (r'^(SYS|PRB) +\d+ +(TIME|[-+]?[\d.]+) +', r'\1 '),
    (r'^([A-Z]{3}) +\d+ +(TIME|[-+]?[\d.]+) +\d+ ', r'\1 '),
    (r'\[ *\d{2,}\]', '[TID]'),
    (r'^ +[-+]\d+  ', 'AGO  '),
    (r'^#\d+ ', '#N '),
    (r'(\.\w+:\d+):\d+\b', r'\1'),
    (r'0x[0-9a-f]+', 'HEX'),
    (r'\b[0-9a-f]{16,40}\b', 'ID'),
    (r'\b(process|thread|threads|pid) [0-9-]+', r'\1 PID'),
    (r'(^ *| *(?<![\w.]))\d+(\.\d+)? (ns|us|µs|ms|s|min)\b', ' DURATION'),
    (r'(/usr)?/lib(/[a-z0-9_]+-linux-gnu)?/', '/lib/'),
    (r'\b\d+\.\d+\.\d+\b', 'VERSION'),
    (r'^ *\d+\.\d\d +\d\.\d{6} +(\d+(?= +\d))? +(?=\d+ )', 'SHARE '),
    (r'[ \t]+$', ''),
]]


def masked(text, folder):
    text = text.replace(folder, SHOWN_FOLDER)
    for pattern, by in MASKS:
        text = pattern.sub(by, text)
    return text.splitlines()


class Fence:
    """A fenced block: its info string, its lines and the line of the page where it begins."""

    def __init__(self, info, line):
        self.info, self.line, self.lines = info.split(), line, []

    def is_console(self):
        return self.info == ['console']

    def commands(self):
        """The commands of a console, each with what is shown below it."""
        found, lines = [], iter(self.lines)
        for line in lines:
            if not line.startswith('$ '):
                if not found:
                    raise ValueError(f'line {self.line}: a console begins with a command')
                found[-1][1].append(line)
                continue
            command = [line[2:]]
            while command[-1].endswith('\\'):
                command.append(next(lines))
            found.append(('\n'.join(command), []))
        return found


def parts_of(page):
    """Fences that are run or written, and the hidden commands, in the order of the page."""
    parts, fence, ignored = [], None, False
    with open(page, encoding='utf-8') as text:
        for number, line in enumerate(text, 1):
            line = line.rstrip('\n')
            if fence and line == '```':
                if not ignored:
                    parts.append(fence)
                fence, ignored = None, False
            elif fence:
                fence.lines.append(line)
            elif line.startswith('```'):
                fence = Fence(line[3:], number)
            elif found := re.fullmatch(r'<!-- not run: .{8,} -->', line):
                ignored = True
            elif found := re.fullmatch(r'<!-- run: (.*) -->', line):
                parts.append(found[1])
    if fence:
        raise ValueError(f'line {fence.line}: the fence has no end')
    return parts


def all_lines(page):
    """What is run, and what is shown: the same in each language."""
    for part in parts_of(page):
        yield from [f'hidden: {part}'] if isinstance(part, str) else part.info + part.lines


def script_of(parts):
    """One script, since a shell's variables and jobs last from one fence to the next."""
    script = ['exec 2>&1 </dev/null', f"failed() {{ printf '{FENCE}failed: %s\\n' \"$1\"; }}"]
    for index, part in enumerate(parts):
        if isinstance(part, str):
            script += ['exec 3>&1 >hidden.log 2>&1', part, 'exec 1>&3 2>&1']
        elif part.is_console():
            script.append(f"printf '{FENCE}{index}\\n'")
            for command, _ in part.commands():
                script += [f"printf '{COMMAND}\\n'", command]
        elif part.info == ['sh']:
            script.append('exec 3>&1 >sh.log 2>&1')
            for line in re.sub(r'\\\n', ' ', '\n'.join(part.lines)).splitlines():
                script += [line, f'[ $? = 0 ] || failed "line {part.line}" >&3']
            script.append('exec 1>&3 2>&1')
    return '\n'.join(script) + '\n'


def alike(shown, printed):
    """Whether PRINTED is what SHOWN says, with its "...", by lines."""
    reach = {0}
    for line in shown:
        if line == '...':
            reach = set(range(min(reach), len(printed) + 1)) if reach else reach
            continue
        form = re.compile('.*'.join(map(re.escape, line.split('...'))))
        reach = {at + 1 for at in reach if at < len(printed) and form.fullmatch(printed[at])}
    return len(printed) in reach


def transcript(output, index, count):
    """What each of the COUNT commands of fence INDEX has printed."""
    text = output.partition(f'{FENCE}{index}\n')[2].partition(FENCE)[0]
    texts = text.split(f'{COMMAND}\n')[1:]
    return texts + [''] * (count - len(texts))


def leave_nothing(group):
    """Ends what a page has started and not stopped."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run(page, folder):
    parts = parts_of(page)
    for part in parts:
        if isinstance(part, Fence) and len(part.info) == 2:
            with open(os.path.join(folder, part.info[1]), 'w', encoding='utf-8') as made:
                made.write('\n'.join(part.lines) + '\n')
    with open(os.path.join(folder, 'transcript'), 'w+', encoding='utf-8',
              errors='replace') as printed:
        # Appended to, as background jobs write to the same file.
        out = os.open(printed.name, os.O_WRONLY | os.O_APPEND)
        shell = subprocess.Popen(['bash', '-c', script_of(parts)], cwd=folder, stdout=out,
                                 start_new_session=True)
        try:
            shell.wait(TIMEOUT)
        finally:
            leave_nothing(shell.pid)
        output = printed.read()
    wrong = re.findall(f'{FENCE}failed: .*', output)
    for line in wrong:
        print(f'{page}: {line[1:]}: a command fails')
    for index, part in enumerate(parts):
        if not isinstance(part, Fence) or not part.is_console():
            continue
        commands = part.commands()
        for (command, shown), text in zip(commands, transcript(output, index, len(commands))):
            shown = masked(''.join(line + '\n' for line in shown), folder)
            text = masked(text, folder)
            if alike(shown, text):
                continue
            wrong.append(command)
            print(f'{page}:{part.line}: {command}')
            differ = list(difflib.unified_diff(shown, text, 'shown', 'printed', '', '', 9))
            print('\n'.join(differ[:DIFF_LINES]))
    return 1 if wrong else 0


def main():
    if sys.argv[1] == 'fences':
        print('\n'.join(all_lines(sys.argv[2])))
        return 0
    return run(sys.argv[2], os.path.realpath(sys.argv[3]))


if __name__ == '__main__':
    sys.exit(main())
