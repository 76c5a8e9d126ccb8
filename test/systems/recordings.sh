# SPDX-License-Identifier: MIT
# recordings.sh [SOURCE] - gzip and Lua are recorded on the CPU ARCH, by test/real/recorded.
#
# What they have called is in the folder recorded afterwards, beside the step's log; GIVEN had
# their sources.
source=${1-$PWD}
place=$PWD
# shellcheck source-path=SCRIPTDIR
. "$source/test/systems/build_port.sh"
build_port
if [ -z "${ROOT-}" ]; then
	place=/out
	apt-get install -y -qq --no-install-recommends xz-utils >/dev/null
fi
make -s recorded RECORDED="$place/recorded" SOURCES="$place/given"
