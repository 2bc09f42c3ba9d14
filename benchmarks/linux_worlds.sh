#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Makes trees and archives with which an unmodified Linux is tried on emu and on QEMU, unless they are there:
#
#     benchmarks/linux_worlds.sh [DIR]        as root; DIR is /tmp/linux if it is missing
#
#     DIR/debian12/               Debian 12 with systemd, dbus, udev, Python, Perl and openssl, without documents
#     DIR/debian12.tar            the same
#     DIR/selftests/ftrace/       the kernel's own tests of ftrace, of Debian's linux-source-6.1
#     DIR/debian12-ftrace.tar     the tree with the tests as /root/ftrace, and /root/ftracetest, which runs them
#
# debootstrap and apt fetch the packages. In the archives all times are 0. The tests need ping, and the loopback device.
set -eu

directory=${1:-/tmp/linux}
suite=bookworm
mirror=http://deb.debian.org/debian
packages=systemd,systemd-sysv,dbus,udev,python3,perl,openssl,bash,coreutils,procps,xz-utils
packages=$packages,iproute2,iputils-ping
source=linux-source-6.1
tests=tools/testing/selftests/ftrace

fail() {
	echo "linux_worlds.sh: $*" >&2
	exit 1
}

# A directory of a tree as a tar: numbers as owners, sorted names.
pack() {
	tar --create --format=posix --pax-option=delete=atime,delete=ctime --numeric-owner --sort=name --mtime=@0 \
		--file "$2.new" -C "$1" .
	mv "$2.new" "$2"
}

make_debian() {
	debootstrap --variant=minbase --include=$packages $suite "$1" $mirror >"$1.log" 2>&1 || fail "debootstrap: see $1.log"
	rm "$1.log"
	passwd --root "$1" --delete root >/dev/null
	# The console belongs to whoever boots the tree; a login prompt there would read the commands.
	ln -sf /dev/null "$1/etc/systemd/system/serial-getty@.service"
	echo debian >"$1/etc/hostname"  # debootstrap copies the host's name and name servers
	: >"$1/etc/resolv.conf"
	: >"$1/etc/machine-id"
	rm -rf "$1"/var/cache/apt/* "$1"/var/lib/apt/lists/* "$1"/var/log/* "$1"/var/cache/ldconfig/* "$1"/var/cache/debconf/*-old
	rm -rf "$1"/usr/share/doc/* "$1"/usr/share/man/* "$1"/usr/share/info/* "$1"/usr/share/locale/* "$1"/usr/share/lintian
	find "$1/usr" -name __pycache__ -prune -exec rm -rf '{}' +
}

make_tests() {
	mkdir -p "$1/debs"
	(cd "$1/debs" && apt-get -qq download $source >/dev/null 2>&1) || fail "cannot download the package $source"
	dpkg-deb --fsys-tarfile "$1/debs/$source"_*.deb | tar -xO --wildcards './usr/src/*.tar.xz' |
		tar -xJ -C "$1" --strip-components=4 --wildcards "*/$tests"
	rm -rf "$1/debs"
}

mkdir -p "$directory"
if [ ! -e "$directory/debian12" ]; then
	rm -rf "$directory/debian12.new"
	make_debian "$directory/debian12.new"
	mv "$directory/debian12.new" "$directory/debian12"
fi
[ -e "$directory/debian12.tar" ] || pack "$directory/debian12" "$directory/debian12.tar"
if [ ! -e "$directory/selftests" ]; then
	rm -rf "$directory/selftests.new"
	make_tests "$directory/selftests.new"
	mv "$directory/selftests.new" "$directory/selftests"
fi
if [ ! -e "$directory/debian12-ftrace.tar" ]; then
	cp -a "$directory/debian12" "$directory/debian12-ftrace.new"
	cp -a "$directory/selftests/ftrace" "$directory/debian12-ftrace.new/root/ftrace"
	cat >"$directory/debian12-ftrace.new/root/ftracetest" <<-'END'
	#!/bin/sh
	# Runs the tests as root, with the arguments of their runner. Kernel messages would stand within its lines.
	[ -e /sys/kernel/tracing/trace ] || mount -t tracefs tracefs /sys/kernel/tracing
	dmesg -n 1
	ip link set lo up
	cd /root/ftrace && exec ./ftracetest "$@"
	END
	chmod +x "$directory/debian12-ftrace.new/root/ftracetest"
	pack "$directory/debian12-ftrace.new" "$directory/debian12-ftrace.tar"
	rm -rf "$directory/debian12-ftrace.new"
fi
