# SPDX-License-Identifier: MIT
# quick.sh - a build, the unit and lint tests, and a scenario of each area.
exec ./bootstrap quick
