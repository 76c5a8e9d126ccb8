# SPDX-License-Identifier: MIT
# check.sh - every test.
exec ./bootstrap check
