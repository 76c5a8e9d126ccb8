# SPDX-License-Identifier: MIT
# demo.sh - what a new user runs first.
exec ./bootstrap demo
