# SPDX-License-Identifier: MIT
# packages.sh [SOURCE] - the Debian packages are made, have nothing for lintian to say, and
# are installed.  They stay in /packages for autopkgtest.sh.
#
# With ROOT, TRIPLET and ARCH, as port.sh has them, they are cross-built in the current
# folder, and installed in ROOT, where a program's crash is reported then.
export DEBIAN_FRONTEND=noninteractive

cross_build()
{
	command -v dh >/dev/null || { echo "debhelper is missing" && exit 1; }
	git clone -q --no-hardlinks "$1" whocallme
	cd whocallme
	# dpkg-shlibdeps(1) asks for the packages of the libraries of that CPU.
	env DPKG_ADMINDIR="$ROOT/var/lib/dpkg" PKG_CONFIG=pkg-config \
		PKG_CONFIG_SYSROOT_DIR="$ROOT" \
		PKG_CONFIG_LIBDIR="$ROOT/usr/lib/$TRIPLET/pkgconfig" \
		CC="$TRIPLET-gcc --sysroot=$ROOT" CXX_FOR_TESTS="$TRIPLET-g++ --sysroot=$ROOT" \
		DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" DEB_BUILD_PROFILES='cross nocheck' \
		dpkg-buildpackage -a"$ARCH" -us -uc -b -d
	cd ..
}

install_in_root()
{
	mkdir -p "$ROOT/packages"
	cp ./*.deb "$ROOT/packages"
	cp /etc/resolv.conf "$ROOT/etc"
	# shellcheck disable=SC2016 # of the shell in the root
	chroot "$ROOT" sh -ec 'cd /packages
		apt-get update -qq
		apt-get install -y -qq --no-install-recommends ./*.deb
		whocallme --version
		LD_PRELOAD=$(ls /usr/lib/*/libwhocallme-preload.so) sh -c "kill -SEGV \$\$" \
			2>/packages/report || true
		cat /packages/report
		grep -q "^<whocallme>: .*SIGSEGV" /packages/report
		grep -q "^#.* in __libc_start_main+" /packages/report'
}

if [ -n "${ROOT-}" ]; then
	mkdir packages && cd packages
	cross_build "$1"
	install_in_root
	exit
fi
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
debian/rules for-gcc
apt-get build-dep -y -qq --no-install-recommends ./ >/dev/null
DEB_BUILD_OPTIONS=parallel=$(nproc) dpkg-buildpackage -us -uc -b
cd ..
lintian -i -I --pedantic --allow-root --fail-on error,warning,info,pedantic ./*.changes
echo "lintian: nothing but what debian/ overrides, with reasons"
apt-get install -y -qq --no-install-recommends ./*.deb
dpkg -l '*whocallme*' | grep '^ii'
