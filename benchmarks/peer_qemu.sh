#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Makes a folder with what benchmarks/peer.py runs, unless it is there, and prints the folder's name:
#
#     benchmarks/peer_qemu.sh [DIR]
#
#     DIR/qemu            the installed qemu-system-x86_64, or Debian's, which is unpacked into DIR and not installed
#     DIR/vmlinuz         Debian's kernel
#     DIR/initramfs.cpio  Debian's static busybox as /init, which executes the lines that come through the serial port
#
# The packages come from where apt gets packages. It fails with one line, which says which package cannot be had.
set -eu

cache=${EMU_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/emu}
directory=${1:-$cache/peer}

fail() {
	echo "peer_qemu.sh: $*" >&2
	exit 1
}

# Prints the packages that a package needs and this machine does not have, itself among them.
missing() {
	apt-get --simulate --no-install-recommends install "$1" 2>/dev/null | awk '$1 == "Inst" { print $2 }'
}

# Unpacks a package, or a folder of it, into the new folder's root/.
unpack() {
	package=$1
	shift
	(cd "$new/debs" && apt-get -qq download "$package" >/dev/null 2>&1) ||
		fail "cannot download the package $package ('apt-get update' may help)"
	dpkg-deb --fsys-tarfile "$new/debs/${package}_"*.deb | tar -x -C "$new/root" "$@" 2>/dev/null ||
		fail "cannot unpack the package $package into $new"
}

make_qemu() {
	if program=$(command -v qemu-system-x86_64); then
		printf '#!/bin/sh\nexec %s "$@"\n' "$program"
		return
	fi
	packages=$(missing qemu-system-x86)
	[ "$packages" ] || fail "apt knows no package qemu-system-x86 ('apt-get update' may help)"
	for package in $packages; do
		unpack "$package"
	done
	cat <<-'END'
	#!/bin/sh
	root=$(dirname "$0")/root
	LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu exec "$root/usr/bin/qemu-system-x86_64" "$@"
	END
}

make_kernel() {
	package=$(apt-cache depends linux-image-amd64 2>/dev/null | awk '$1 == "Depends:" { print $2 }')
	[ "$package" ] || fail "apt knows no package linux-image-amd64 ('apt-get update' may help)"
	unpack "$package" ./boot
	mv "$new"/root/boot/vmlinuz-* "$new/vmlinuz"
}

make_initramfs() {
	mkdir "$new/initramfs"
	busybox=$("$(dirname "$0")/../firmware/tools/busybox" x86_64) || exit 1
	cp "$busybox" "$new/initramfs/busybox"
	cat >"$new/initramfs/init" <<-'END'
	#!/busybox sh
	/busybox mount -t devtmpfs none /dev
	/busybox mkdir -p /proc /sys /tmp
	/busybox mount -t proc none /proc
	/busybox mount -t sysfs none /sys
	/busybox mount -t tracefs none /sys/kernel/tracing
	exec </dev/ttyS0 >/dev/ttyS0 2>&1
	/busybox stty -echo -onlcr
	PATH=/bin
	export PATH
	cd /sys/kernel/tracing
	echo booted
	while read -r line; do
		eval "$line"
	done
	END
	chmod +x "$new/initramfs/init"
	(cd "$new/initramfs" && find . | ./busybox cpio -o -H newc 2>/dev/null) >"$new/initramfs.cpio"
}

if [ ! -e "$directory/qemu" ]; then
	[ ! -e "$directory" ] || rmdir "$directory" 2>/dev/null || fail "$directory is there, and is not what this program made"
	new=$directory.new.$$
	trap 'rm -rf "$new"' EXIT
	trap 'exit 1' HUP INT TERM
	mkdir -p "$new/debs" "$new/root" 2>/dev/null || fail "cannot make $new"
	echo "peer_qemu.sh: fetching QEMU and a kernel into $directory ..." >&2
	make_kernel
	make_initramfs
	make_qemu >"$new/qemu"
	chmod +x "$new/qemu"
	rm -rf "$new/debs" "$new/initramfs"
	mv "$new" "$directory"
fi
echo "$directory"
