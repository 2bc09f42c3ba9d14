# SPDX-License-Identifier: GPL-2.0-only
"""The general programs, beside the host's own: the same output and status for the same command line."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.guest.programs.conftest import Guest
from tests.lib.needs import needs

DASH = shutil.which("dash")
HOST = "/usr/bin:/bin"

SETUP = r"""
printf 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n' > lines
printf 'root:x:0:0\ndaemon:x:1:1\nbin:x:2:2\n\nnone\n' > passwd
printf 'b 2\na 10\nb 2\nc 1\na 9\nB 3\n' > pairs
printf 'no newline' > bare
printf '\001\002abc\377\n\t\000end of sixteen and more' > bytes
: > empty
mkdir tree tree/sub; echo x > tree/sub/file.c; echo yy > tree/top.h; ln -s top.h tree/link
"""

GREP = r"""
grep e lines
grep -c e lines
grep -n e lines passwd
grep -v e lines
grep -i ROOT passwd
grep -l e lines passwd empty
grep -L e lines passwd empty
grep -q two lines
grep -q nothing lines
grep nothing lines
grep x nofile lines
grep -s x nofile
grep -o '[aeiou]*e' lines
grep -on '[aeiou]' lines
grep -w on pairs lines
grep -w one lines
grep -x 'a .*' pairs
grep -h e lines passwd
grep -H two lines
grep -r x tree
grep -e one -e ten lines
grep -E 'one|ten|t(w|h)' lines
grep -E '^(t|s)[a-z]+n$' lines
grep 'e\{2\}' lines
grep -f empty lines
grep -vf empty lines
grep -f lines lines
grep -r x tree/
grep -E 'e{2}' lines
grep -E '(e)l?\1' lines
grep -F 'a.c' a.c
grep -F -e 1 -e 2 pairs
grep '^$' passwd
grep -vn '^$' passwd
grep -c '' passwd
grep '' bare
grep o bare
grep -m 2 e lines
grep -A 1 four lines
grep -B 1 -n four lines
grep -C 1 -e two -e eleven lines
grep dir dir
cat lines | grep e -
cat lines | grep -Hn ten
grep '\<t' lines
grep 'e\>' lines
grep -i 'ONE\|tWo' lines
grep '\(a' lines
grep -E '(a' lines
grep '[a' lines
grep -E 'a|b|' pairs
grep -ow '[a-z]*' pairs
grep -f pairs pairs
grep -ci 'B 3' pairs
"""

LINES = r"""
head lines
head -n 3 lines
head -3 lines
head -c 5 lines
head -n -9 lines
head -c -40 lines
head -n 1 lines passwd
head -q -n 1 lines passwd
head -n 0 lines
head bare
head nofile lines
head -n x lines
cat -n lines lines; cat -b lines; printf 'no end' | cat -n - lines
printf 'a\n\n\n\n\tb\001\177\200\311\377\n' > out; cat -A out; cat -e out; cat -t out; cat -vE out
printf 'a\n\n\n\n\tb\001\177\200\311\377\n' | { cat -s; echo; } | od -c; printf 'a\n\n\n\n\tb\n' | cat -nsT
cat lines | head -n 2
head -1 lines | tail -1
tail lines
tail -n 3 lines
tail -3 lines
tail -c 5 lines
tail -n +10 lines
tail -c +50 lines
tail -n 1 lines passwd
tail -n 0 lines
tail -n 100 lines
tail bare
tail -n +1 bare
tail nofile lines
cat lines | tail -n 2
seq 100000 | tail -n 2
wc lines
wc -l lines
wc -w lines
wc -c lines
wc -lc lines
wc lines passwd empty
wc -l lines passwd
cat lines | wc
cat lines | wc -l
wc nofile
wc empty
wc bare
uniq pairs
sort pairs | uniq
sort pairs | uniq -c
sort pairs | uniq -d
sort pairs | uniq -u
uniq -f 1 pairs
sort pairs
sort -r pairs
sort -u pairs
sort -n -k 2 pairs
sort -k 2n pairs
sort -k 1,1 -k 2n pairs
sort -k 1,1 -k 2,2nr pairs
sort -f pairs
sort -s -k 1,1 pairs
sort -t : -k 3 -n passwd
sort -t : -k 1 passwd
sort lines passwd
sort -c lines
sort -c empty
sort -rn -k2 pairs
seq 20 | sort -n
seq 20 | sort
printf '3.5\n-2\n10\n-2.25\n\n0\n' | sort -n
sort -o out lines; cat out
sort nofile
cut -d : -f 1 passwd
cut -d : -f 1,3 passwd
cut -d : -f 2- passwd
cut -d : -f -2 passwd
cut -s -d : -f 1 passwd
cut -c 1-3 lines
cut -c 2,4- lines
cut -b 1 lines
cut lines
cut -f 0 lines
tr a-z A-Z < lines
tr -d aeiou < lines
tr -s e < lines
tr -cd '[:alpha:]' < lines
tr '[:lower:]' '[:upper:]' < lines
tr '\n' ' ' < lines
tr -c 'a-z\n' . < passwd
tr -s '[:space:]' '\n' < pairs
tr abc x < pairs
tr -ds a b < pairs
tr z-a x < pairs
tr
echo hello | tee out; cat out
echo more | tee -a lines | cat; cat lines
"""

OTHERS = r"""
seq 5
seq 2 5
seq 1 2 9
seq 5 -1 1
seq -2 2
seq -s , 4
seq -w 8 11
seq 3 1
seq
seq a
yes | head -n 3
yes a b | head -n 2
basename /a/b.c
basename /a/b.c .c
basename a/
basename /
basename .c .c
dirname /a/b
dirname a
dirname /a
dirname a/b/
dirname a//b /
expr 1 + 2
expr 2 '*' 3 + 4
expr '(' 1 + 2 ')' '*' 3
expr 7 / 2
expr 7 % 0
expr 5 - 5
expr a = b
expr a '<' b
expr 10 '>' 9
expr abc : 'a\(.*\)'
expr abc : 'b'
expr abcabc : '[ab]*'
expr length abcd
expr substr abcdef 2 3
expr index abcdef dc
expr '' '|' x
expr 1 '&' 0
expr 1 +
expr a + 1
expr
cmp lines lines
cmp lines passwd
cmp -s lines passwd
cmp lines empty
cmp bare pairs
cmp -l bare pairs
cmp nofile lines
od bytes
od -c bytes
od -x bytes
od -b bytes
od -A x -t x1 bytes
od -A d -t x1z bytes
od -A n -t d4 bytes
od -t u2 -j 3 -N 10 bytes
od -t x8 bytes
od -tx1 -tc bytes
od -t a bytes
od -t d1 bytes
od -t o4 bytes
od -An -tx1 empty
od empty
head -c 100 /dev/zero | od
head -c 100 /dev/zero | od -v -t x1
hexdump bytes
hexdump -C bytes
hexdump -C empty
hexdump -n 5 -s 2 -C bytes
head -c 100 /dev/zero | hexdump -C
xargs < lines
xargs -n 3 < lines
xargs -n 1 echo x < pairs
echo "a 'b c' d\ e" | xargs -n 1
xargs -I {} echo '<{}>' < pairs
printf 'a b\0c' | xargs -0 -n 1 echo
echo | xargs echo none
echo | xargs -r echo none
echo a | xargs false
echo a | xargs nosuch
find tree | sort
find tree -name '*.c'
find tree -type d | sort
find tree -type f | sort
find tree -type l
find tree -name '*.h' -o -name '*.c' | sort
find tree ! -type d | sort
find tree '(' -name top.h -o -name sub ')' -print | sort
find tree -maxdepth 1 | sort
find tree -mindepth 2
find tree -name '*.c' -exec cat '{}' ';'
find tree -type f -exec echo '{}' + | wc -l
find tree -type f -exec grep -q yy '{}' ';' -print
find tree -name sub -prune -o -print | sort
find tree -depth -name '*' | tail -n 1
find tree -size +0 -type f | sort
find tree '('
find tree '(' -name top.h
find tree '(' ')'
find tree '(' ! ')'
find tree -a -name top.h
find tree -name top.h ')'
e=; for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do e="$e -exec echo $n {} +"; done; find lines $e
find empty lines -empty
find nofile
find tree -iname 'TOP*'
find tree -name top.h -delete; ls tree
which nosuch
env -i a=1 b=2 env
env -i a=1 printenv a
env a=2 sh -c 'echo $a'
printenv nosuch
env nosuch
date -u -d @951782400
date -d @0 '+%Y-%m-%d %H:%M:%S %a %b %j'
date -d @1700000000 '+%s.%N %% %e %I %p %y'
printf '%s\n' a b c
printf '%d %x %o %u\n' 10 255 8 7
printf '%5s|%-5s|%05d|%+d\n' a b 42 7
printf '%c%c\n' abc def
printf '%b' 'a\tb\n'
printf '%s %s\n' a b c
printf '%%\n'
printf '\101\n'
printf '%.2s|%*d\n' abc 5 42
printf 'no args\n' x
printf '%d\n' 0x10 010 "'a"
test a = a
test a = b
test -f lines
test -d tree
test -e nofile
test -s empty
test 1 -lt 2
test -z ''
test ! a
test a -a ''
test a -o ''
timeout 5 echo fine
timeout 0.1 sleep 5
timeout 5 sh -c 'exit 3'
timeout 5 nosuch
nproc | wc -l
id -u
id -un
whoami
uname -s
uname extra
pwd | grep -c cwd
mktemp -p . aXXXXXX | wc -c
test -d $(mktemp -d -p .) && echo yes
"""

MORE = r"""
tac lines
tac bare lines
tac nofile lines
printf 'a\nb' | tac
tac empty
rev lines
rev bare
rev nofile lines
printf 'ab\n\ncd\n' | rev -
sort lines > a; sort passwd > b; comm a b
comm -12 lines lines
comm -13 empty bare
comm lines nofile
comm lines
paste lines passwd
paste -s lines
paste -d ,: lines passwd empty pairs
paste -sd , lines bare
paste -d '\n' lines pairs
paste -d '\0' lines pairs
paste -s -d '+-' lines passwd
paste - - - < lines
paste lines nofile
nl lines
nl passwd
nl -ba passwd
nl -b n -w 3 passwd
nl -n rz -w 4 -s ': ' -v 10 -i 5 lines
nl -n ln lines pairs
nl nofile lines
cksum lines passwd empty bytes
cksum < lines
cksum nofile empty
md5sum lines bytes empty bare
md5sum < passwd
seq 1000 | md5sum -
for i in 54 55 56 57 62 63 64 65; do head -c $i lines | md5sum; done
md5sum nofile lines
cp lines l; cp pairs q; md5sum l q > sums; md5sum -c sums; echo >> l; md5sum -c sums; rm q; md5sum -c sums
strings bytes
strings -n 2 bytes
strings nofile lines
strings -n 3 lines pairs
diff lines lines
diff lines passwd
diff lines nofile
diff lines empty
diff empty bare
diff bare lines
sed 's/two/2/;/five/d;$a new' lines > new; diff lines new
sed 's/two/2/;/five/d;$a new' lines > new; diff -u lines new | tail -n +3
seq 100 > a; sed '5d;12s/$/x/;50i new' a > b; diff a b; diff -u a b | tail -n +3
seq 100 > a; sed '5d;12s/$/x/;50i new' a > b; diff -U 0 a b | tail -n +3; diff -U 1 a b | tail -n +3
diff -q lines pairs
diff -q lines lines
diff -s lines lines
diff bytes lines
diff -a empty bare
diff - lines < lines
rm -rf copy; cp -r tree copy; diff -r tree copy; echo $?
rm -rf copy; cp -r tree copy; echo >> copy/sub/file.c; echo > copy/extra; rm copy/top.h; diff -r tree copy
rm -rf copy; cp -r tree copy; echo >> copy/sub/file.c; echo > copy/extra; rm copy/top.h; diff -rq tree copy; diff tree copy
diff lines tree
printf 'A  b\nc\n' > a; printf 'a b \nc\n' > b; diff a b; diff -i a b; diff -b a b; diff -ib a b; diff -iw a b
diff lines
chown 0:0 nofile
chown foo lines
chown
mountpoint /; mountpoint .; mountpoint -q .; echo $?; mountpoint lines; mountpoint nofile
nohup echo hi; nohup nosuch
nohup
setsid echo hi
echo | tty; tty -s < lines; echo $?
sleep 3.217 & sleep 0.1; pgrep -f '^sleep 3.217' > /dev/null; echo $?; pkill -f '^sleep 3.217'; wait $! 2> /dev/null; echo $?
"""

# Long options, options after operands, and what a shell alone cannot find wrong.
OPTIONS = r"""
grep --color=auto -n e lines; grep --color x tree/sub/file.c; grep --count e lines
grep --ignore-case --max-count=1 --line-number ROOT passwd
grep -r --include='*.h' y tree; grep -rh --exclude='*.h' . tree/sub; grep --line-buffered -b t lines; grep -ob e lines
grep --nosuch e
grep -C 1 e lines passwd; grep -A1 on lines bare; grep -B1 -h o lines pairs
grep -oA1 fo lines passwd; grep -L e lines; grep -L z lines empty; grep -lL e lines; grep -Ll e lines
grep -w 'f.*' pairs passwd; printf 'a.c\nab ac\n' | grep -ow 'a.*'; egrep 'one|two' lines; fgrep -c . passwd
grep e lines -n; grep -- -x lines; grep lines -e one -c; sort pairs -r; head lines -n 1; tail -n1 lines -v; ls tree -a
wc lines -l
cut passwd -d: -f1; uniq -c pairs; mkdir p q -p; rm p q -rf; ls p; cat bare lines -n; sed 1d bare lines -s
env ls -d tree; nice ls -d tree
timeout 5 ls -d tree; xargs echo -n < bare; tr -d -- -n < bare; seq 1 -1 -1; env -i /bin/echo -n a; rm -- -x
date -d @0 +%s -u; date +%s -u -d @1
ls --all tree; ls --color=never tree; ls --color --reverse tree; ls -lh bytes | cut -d' ' -f5; ls -L tree/link
ls -LF tree; ls -dF tree/link
truncate -s 1500 h1; truncate -s 20000 h2; ls -lh h1 h2 | awk '{ print $5 }'; rm h1 h2; ls --human-readable -1 bare
head --lines=2 lines; head --bytes 3 lines; head -n +2 lines; tail --lines=1 lines; tail --bytes=2 lines
cat --number bare; mkdir --parents d/e; rm --recursive d
cut --delimiter=: --fields=1,3 passwd; cut --complement -d: -f2 passwd; cut --complement -c2-3 lines
cut -d: -f1,2 --output-delimiter=/ passwd
cut -c1,3 --output-delimiter=, lines; cut -d: -c1 lines; cut -s -c1 lines; cut -f1 -c1 lines
wc -L lines bare; wc --lines lines; wc -lL lines passwd; printf 'a\tb\n' | wc -L; uniq -w1 pairs; uniq -D pairs
uniq -f1 -D pairs; printf 'a\na\na\nb\n' | uniq -D
sort --reverse --key=2 pairs; sort -C pairs; echo $?; sort lines | sort -C; echo $?; sort -c lines pairs
sort -m empty bare; printf 'a-b\nab\na c\n' | sort -d
printf '10K\n2\n1M\n1.5K\n3G\n-1K\n0\n' | sort -h; printf '1K x\n3 y\n' | sort -k1hr
printf 'a10\na9\na09\nb1\na1.10\na1.9\n' | sort -V
xargs -L 1 echo x < pairs; xargs -L2 echo < passwd; xargs -d e echo < lines; xargs -d '\n' -n 2 echo < lines
xargs -d xx; xargs -n 0
xargs -P 3 -n 1 echo < lines | sort; xargs -P0 -n 5 echo < lines | wc -l; seq 4 | xargs -n1 -P2 sh -c 'exit 3'
echo $?; xargs --max-args=2 --no-run-if-empty < lines
sed -u 2,11d lines; sed --unbuffered -n 1p lines; mkfifo f; sed -u s/a/b/ f & exec 3> f; echo a >&3; exec 3>&-; wait; rm f
cat lines >&-; du -h empty | cut -f1
LINKS; for i in . .. sub/.. l l/ l/file.c m m/ n o p r; do readlink -f "$i"; echo $?; done
LINKS; for i in r/bin/.. nosuch nosuch/x no/ loop '' / // /../.. ./sub//.; do readlink -f "$i"; echo $?; done
LINKS; realpath l o r nosuch; realpath -e nosuch l/file.c | wc -l; readlink -e nosuch; echo $?
LINKS; realpath -q no/x; realpath; readlink -n m
"""

LINKS = (
    "mkdir -p links/sub; cd links; : > sub/file.c; "
    "for i in sub:l ../lines:m nowhere:n l/file.c:o loop:loop /:r n/x:p; do ln -sfn ${i%:*} ${i#*:}; done"
)

SCRIPTS = [line for group in (GREP, LINES, OTHERS, MORE, OPTIONS) for line in group.strip().splitlines()]
SCRIPTS = [line.replace("LINKS", LINKS) for line in SCRIPTS]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the scripts work on."""
    folder = tmp_path_factory.mktemp("files")
    subprocess.run(["sh", "-c", SETUP], cwd=folder, check=True)
    return folder


@needs("dash")
@pytest.mark.parametrize("script", SCRIPTS)
def test_does_what_the_hosts_tool_does(guest: Guest, files: Path, script: str) -> None:
    shutil.copytree(files, guest.cwd, symlinks=True, dirs_exist_ok=True)
    ours = guest.sh(script)
    if "out" in script or "-delete" in script or "tee" in script:
        shutil.rmtree(guest.cwd / "tree")
        shutil.copytree(files, guest.cwd, symlinks=True, dirs_exist_ok=True)
    theirs = guest.sh(script, program=DASH, path=HOST)
    assert (ours.status, ours.output) == (theirs.status, theirs.output)
    assert bool(ours.errors) == bool(theirs.errors)  # GNU's say more after the first line, and quote otherwise
