# SPDX-License-Identifier: MIT
# packages.sh - the Debian packages are made, have nothing for lintian to say, and are
# installed.  They stay in /packages for autopkgtest.sh.
export DEBIAN_FRONTEND=noninteractive
rm -rf /packages
mkdir /packages
if [ -e /src/.git ]; then
	git clone -q --no-hardlinks /src /packages/whocallme
else
	cp -a /src /packages/whocallme
fi
cd /packages/whocallme

apt-get update -qq
apt-get install -y -qq --no-install-recommends build-essential lintian >/dev/null
apt-get build-dep -y -qq --no-install-recommends ./ >/dev/null
DEB_BUILD_OPTIONS=parallel=$(nproc) dpkg-buildpackage -us -uc -b
cd ..
lintian -i -I --pedantic --allow-root --fail-on error,warning,info,pedantic ./*.changes
echo "lintian: nothing but what debian/ overrides, with reasons"
apt-get install -y -qq --no-install-recommends ./*.deb
dpkg -l '*whocallme*' | grep '^ii'
