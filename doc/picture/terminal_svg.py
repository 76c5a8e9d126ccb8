#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a terminal showed, as a picture: text with SGR sequences on stdin (ECMA-48,
8.3.117: bold, dim, the sixteen colours), SVG on stdout.

    terminal_svg.py [TITLE] <recording >picture.svg
"""
import re
import sys
from html import escape

COLUMN, ROW, SIZE, MARGIN, BAR = 8.43, 19, 14, 18, 34
COLOURS = ["#3b4048", "#f0616d", "#8cc570", "#e6c06c", "#62aef0", "#c678dd",
           "#56b6c2", "#d7dae0"]
BRIGHT = ["#7f8590", "#ff7a85", "#a5e075", "#f0d58a", "#82c4ff", "#de9cf0",
          "#7fd6e0", "#ffffff"]
PLAIN, GROUND = "#d7dae0", "#1e2127"


class Pen:
    def __init__(self):
        self.reset()

    def reset(self):
        self.colour, self.bold, self.dim = PLAIN, False, False

    def obey(self, codes):
        for code in (int(c or 0) for c in codes.split(";")):
            if code == 0:
                self.reset()
            elif code == 1:
                self.bold = True
            elif code == 2:
                self.dim = True
            elif code == 22:
                self.bold = self.dim = False
            elif 30 <= code <= 37:
                self.colour = COLOURS[code - 30]
            elif code == 39:
                self.colour = PLAIN
            elif 90 <= code <= 97:
                self.colour = BRIGHT[code - 90]

    def style(self):
        return f'fill="{self.colour}"' + \
            (' font-weight="bold"' if self.bold else "") + \
            (' opacity="0.55"' if self.dim else "")


def spans(line, pen):
    """The parts of a line, each with its column and style."""
    column = 0
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b["):
            pen.obey(part[2:-1])
        elif part:
            text = ""
            for c in part:
                if c == "\t":
                    text += " " * (8 - (column + len(text)) % 8)
                else:
                    text += c
            if text.strip():
                yield column, text, pen.style()
            column += len(text)


def picture(lines, title):
    width = max(80, *(len(re.sub(r"\x1b\[[0-9;]*m", "", line).expandtabs(8))
                      for line in lines)) * COLUMN + 2 * MARGIN
    height = BAR + len(lines) * ROW + MARGIN
    yield f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" ' \
        f'height="{height}" viewBox="0 0 {width:.0f} {height}" role="img">'
    yield f"<title>{escape(title)}</title>"
    yield f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>'
    for x, colour in ((20, "#f0616d"), (40, "#e6c06c"), (60, "#8cc570")):
        yield f'<circle cx="{x}" cy="18" r="6" fill="{colour}"/>'
    yield '<g font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" ' \
        f'font-size="{SIZE}" xml:space="preserve">'
    pen = Pen()
    for row, line in enumerate(lines):
        y = BAR + (row + 1) * ROW - 5
        for column, text, style in spans(line, pen):
            yield f'<text x="{MARGIN + column * COLUMN:.1f}" y="{y}" ' \
                f'textLength="{len(text) * COLUMN:.1f}" {style}>' \
                f"{escape(text)}</text>"
    yield "</g></svg>"


def main():
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    lines = text.replace("\r", "").rstrip("\n").split("\n")
    print("\n".join(picture(lines, " ".join(sys.argv[1:]) or "A terminal")))


main()
