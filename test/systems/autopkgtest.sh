# SPDX-License-Identifier: MIT
# autopkgtest.sh - the tests of the packages that packages.sh has made, debian/tests.
export DEBIAN_FRONTEND=noninteractive
apt-get install -y -qq --no-install-recommends autopkgtest >/dev/null
cd /packages
autopkgtest --no-built-binaries ./*.deb ./whocallme/ -- null
