# SPDX-License-Identifier: MIT
# narrow_tids.awk - a replay by uftrace, its TID column 6 characters wide as in older
# releases.
NR == 1 { wide = sub(/TID      FUNCTION/, "TID     FUNCTION") }
wide && /^[^|[]*\[ [ 0-9]*\] \|/ { sub(/\[ /, "[") }
{ print }
