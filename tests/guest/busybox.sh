#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Uses many of busybox's applets on a made-up log of a machine. What it prints depends on nothing but these lines:
# busybox prints the same on any kernel and any architecture. It works in a new folder, which it removes.
set -eu
umask 022
export TZ=UTC LC_ALL=C

folder=$(mktemp -d)
cd "$folder"
trap 'cd /; rm -r "$folder"; echo "removed"' EXIT

section() {
	printf '== %s\n' "$*"
}

# A log of LINES lines, always the same: a seed, and what a linear congruence makes of it.
make_log() {
	awk -v lines="$1" 'BEGIN {
		seed = 42
		split("open read write close fork exec", call)
		for (i = 1; i <= lines; i++) {
			seed = (seed * 1103 + 12345) % 65536
			high = int(seed / 16)
			printf "%05d cpu%d %s %d\n", i, high % 4, call[high % 6 + 1], high % 1000
		}
	}'
}

section "awk, wc, head, tail: a log"
make_log 500 > log
wc log
head -n 3 log
tail -n 2 log

section "cut, sort, uniq: how often each call"
cut -d ' ' -f 3 log | sort | uniq -c | sort -k1,1nr -k2
section "awk: the longest of each CPU"
awk '$4 > most[$2] { most[$2] = $4; line[$2] = $1 } END { for (c in most) print c, most[c], line[c] }' log | sort
section "grep, egrep, fgrep, sed"
grep -c 'cpu3 exec' log
grep -n 'fork 99[0-9]' log | head -n 4
egrep '^0000[1-9] .*(open|close)' log
fgrep -c 'cpu0' log
sed -n -e '/00010/,/00012/s/cpu\([0-9]\) \([a-z]*\)/\2@\1/p' log
sed -n -e '498,${y/aeiou/AEIOU/' -e 's/^0*//p' -e '}' log
sed '3,$d;a\
after each' log

section "tr, fold, rev, tac, nl, paste, expand, unexpand"
tr -cd 'a-z\n' < log | head -n 2 | tr 'a-z' 'A-Z'
seq -s '' 1 40 | fold -w 20
head -n 2 log | rev
head -n 3 log | tac | nl -ba
cut -c 1-5 log | head -n 6 | paste -d '+-' - - -
printf 'a\tb\n\t\tc\n' | expand -t 4 | tee spaces | unexpand -a -t 4 | od -c
cat spaces

section "cmp, diff, patch"
sort -u log > sorted
sed -e 's/cpu1/CPU1/' -e '250d' log > changed
cmp log changed || echo "cmp says $?"
diff -u -L old -L new log changed > change || echo "diff says $?"
wc -l < change
head -n 8 change
cp log patched
patch patched change
cmp patched changed && echo "the same again"
diff -q log sorted && echo "it was sorted"

section "od, hexdump, xxd, strings, crc32"
head -c 32 log | od -A d -t x1
head -c 20 log | hexdump -C
head -c 20 log | xxd
printf 'ab\0long enough\1\2zz' | strings
crc32 log

section "md5sum, sha1sum, sha256sum, sha512sum, sha3sum"
for sum in md5sum sha1sum sha256sum sha512sum sha3sum; do
	$sum log
done
md5sum log changed > sums
md5sum -c sums

section "base64, uuencode, uudecode"
head -c 60 log | base64 | tee text
base64 -d text | cmp -n 60 - log && echo "decoded"
head -c 60 log | uuencode name | uudecode -o - | head -n 1

section "expr, bc, dc, factor, seq"
expr 17 '*' 3 + 4 || true
expr "machine" : 'm\(.*\)ine'
echo '2 ^ 200; scale = 20; 22 / 7; sqrt(2)' | bc
echo '7 k 2 v p [la1+dsa*pla10>y]sy 0sa1lyx' | dc
factor 1234567890 65537

section "mkdir, touch, ln, chmod, find, xargs, stat"
mkdir -p tree/a/b tree/c
for name in one two 'with blank'; do
	echo "$name" > "tree/a/$name.txt"
done
touch -d '2024-02-29 12:34:56' tree/a/b/leap
ln tree/a/one.txt tree/c/same
ln -s ../a/two.txt tree/c/link
chmod 640 tree/a/two.txt
find tree -type f | sort
find tree -name '*.txt' -print0 | sort -z | xargs -0 -n 1 basename
find tree -newer tree/a/b/leap -type l -exec readlink '{}' ';'
find tree -type f -links 2 -size -2 | sort | xargs wc -c
stat -c '%n %a %s %F' tree/a/*.txt tree/c/link
date -r tree/a/b/leap '+%Y-%m-%d %H:%M:%S %a %j'
realpath tree/c/link | sed "s,^$folder/,,"
dirname tree/a/b/leap

section "tar, gzip, bzip2, cpio, ed"
touch -d '2001-01-01 00:00:00' tree/a/* tree/c/same
touch -h -d '2001-01-01 00:00:00' tree/c/link tree/c
tar -c -f tree.tar tree/a/one.txt tree/a/two.txt tree/c
tar -t -v -f tree.tar | awk '{ print $1, $3, $4, $6, $NF }' | sort
mkdir out
tar -x -f tree.tar -C out
cat out/tree/c/link out/tree/c/same
gzip -c log > log.gz
zcat log.gz | cmp - log && echo "gunzip gave it back"
bzip2 -c log > log.bz2
bzcat log.bz2 | cmp - log && echo "bunzip2 gave it back"
tar -c -z -f tree.tgz tree/a && tar -t -z -f tree.tgz | sort
(cd tree && find a | sort | cpio -o -H newc 2> /dev/null) | cpio -t 2> /dev/null
printf '%s\n' 1,2d s/cpu/CPU/ 1p 'w edited' q | ed log

section "dd, truncate, shuf, cal, date"
dd if=log of=piece bs=16 skip=2 count=3 2> /dev/null
cat piece
truncate -s 5 piece
wc -c < piece
seq 5 | shuf | sort
cal 2 2024
date -u -d '@1000000000' '+%s is %c'

section "the shell"
words="one:two three"
echo "${#words} ${words%%:*} ${words#*:} ${unset:-default} ${words:+set} $((0x1f << 2 | 1))"
while getopts 'ab:c' option -a -b value -c; do
	echo "$option ${OPTARG:-}"
done
fibonacci() {
	local n=$1
	[ "$n" -lt 2 ] && echo "$n" && return
	echo $(($(fibonacci $((n - 1))) + $(fibonacci $((n - 2)))))
}
fibonacci 6
case $words in
*:*\ *) echo "a colon, then a blank" ;;
*) echo "something else" ;;
esac
(exit 3) || echo "a subshell says $?"
sh -c 'kill -TERM $$' || echo "killed by a signal: $?"
sleep 0.1 &
wait $! && echo "waited"
trap 'echo "caught USR1"' USR1
kill -USR1 $$
cat <<END | while IFS=' ' read -r first rest; do echo "[$rest] [$first]"; done
here is a document
of $(expr 1 + 1) lines
END
env -i A=1 sh -c 'echo "A is $A, HOME is ${HOME-unset}"'
printf '%s|%5d|%-5s|%x|%o|%c\n' text 42 ab 255 8 z
which sh > /dev/null && test -x "$(which awk)" && echo "applets are on PATH"
timeout 5 true && setsid true && echo "run by others"
