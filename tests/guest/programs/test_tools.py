# SPDX-License-Identifier: GPL-2.0-only
"""The general programs compared with the host's: the same output and status for the same command line."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.guest.programs.conftest import Guest
from tests.guest.programs.table import assert_same, lines
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

# By topic; with long options, options after operands, and errors.
TABLES = {
    "grep": r"""
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
grep --color=auto -n e lines; grep --color x tree/sub/file.c; grep --count e lines
grep --ignore-case --max-count=1 --line-number ROOT passwd
grep -r --include='*.h' y tree; grep -rh --exclude='*.h' . tree/sub; grep --line-buffered -b t lines; grep -ob e lines
grep --nosuch e
grep -C 1 e lines passwd; grep -A1 on lines bare; grep -B1 -h o lines pairs
grep -oA1 fo lines passwd; grep -L e lines; grep -L z lines empty; grep -lL e lines; grep -Ll e lines
grep -w 'f.*' pairs passwd; printf 'a.c\nab ac\n' | grep -ow 'a.*'; grep -Fc . passwd
grep e lines -n; grep -- -x lines; grep lines -e one -c; sort pairs -r; head lines -n 1; tail -n1 lines -v; ls tree -a
""",
    "head": r"""
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
cat lines | head -n 2
head --lines=2 lines; head --bytes 3 lines; head -n +2 lines; tail --lines=1 lines; tail --bytes=2 lines
""",
    "cat and tee": r"""
cat -n lines lines; cat -b lines; printf 'no end' | cat -n - lines
echo hello | tee out; cat out
echo more | tee -a lines | cat; cat lines
cat --number bare; mkdir --parents d/e; rm --recursive d
cat lines >&-
""",
    "printf": r"""
printf 'a\n\n\n\n\tb\001\177\200\311\377\n' > out; cat -A out; cat -e out; cat -t out; cat -vE out
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
""",
    "cmp and hexdump": r"""
printf 'a\n\n\n\n\tb\001\177\200\311\377\n' | { cat -s; echo; } | hexdump -C; printf 'a\n\n\n\n\tb\n' | cat -nsT
cmp lines lines
cmp lines passwd
cmp -s lines passwd
cmp lines empty
cmp bare pairs
cmp nofile lines
hexdump bytes
hexdump -C bytes
hexdump -C empty
hexdump -n 5 -s 2 -C bytes
head -c 100 /dev/zero | hexdump -C
""",
    "tail": r"""
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
""",
    "wc": r"""
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
wc lines -l
wc -L lines bare; wc --lines lines; wc -lL lines passwd; printf 'a\tb\n' | wc -L; uniq -w1 pairs
""",
    "uniq": r"""
uniq pairs
sort pairs | uniq
sort pairs | uniq -c
sort pairs | uniq -d
sort pairs | uniq -u
uniq -f 1 pairs
""",
    "sort": r"""
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
sort -rn -k2 pairs
seq 20 | sort -n
seq 20 | sort
printf '3.5\n-2\n10\n-2.25\n\n0\n' | sort -n
sort -o out lines; cat out
sort nofile
sort --reverse --key=2 pairs
""",
    "cut": r"""
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
cut passwd -d: -f1; uniq -c pairs; mkdir p q -p; rm p q -rf; ls p; cat bare lines -n; sed 1d bare lines -s
cut --delimiter=: --fields=1,3 passwd; cut -c 2-3 lines
cut -d: -c1 lines; cut -s -c1 lines; cut -f1 -c1 lines
""",
    "tr": r"""
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
""",
    "seq": r"""
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
""",
    "others": r"""
env -i a=1 b=2 env
env a=2 sh -c 'echo $a'
env nosuch
date -u -d @951782400
date -d @0 '+%Y-%m-%d %H:%M:%S %a %b %j'
date -d @1700000000 '+%s.%N %% %e %I %p %y'
timeout 5 echo fine
timeout 0.1 sleep 5
timeout 5 sh -c 'exit 3'
timeout 5 nosuch
uname -s
uname extra
pwd | grep -c cwd
chown 0:0 nofile
chown foo lines
chown
env ls -d tree; nice ls -d tree
timeout 5 ls -d tree; env -i /bin/echo -n a; rm -- -x
date -d @0 +%s -u; date +%s -u -d @1
ls --all tree; ls --color=never tree; ls --color --reverse tree; ls -lh bytes | cut -d' ' -f5; ls -L tree/link
ls -LF tree; ls -dF tree/link
for n in 1500 20000 9999999; do head -c $n /dev/zero > out; ls -lh out | cut -d' ' -f5; done; rm out; ls --human-readable -1 bare
sed -u 2,11d lines; sed --unbuffered -n 1p lines; mkfifo f; sed -u s/a/b/ f & exec 3> f; echo a >&3; exec 3>&-; wait; rm f
mkdir links; cd links; ln -s ../lines m; ln -s nowhere n; readlink m n; readlink -n m; readlink nosuch ../lines; echo $?
ls -s lines tree | sed s/^./x/ | wc -l; ls -s empty
""",
    "test": r"""
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
""",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The input files of the scripts."""
    folder = tmp_path_factory.mktemp("files")
    subprocess.run(["sh", "-c", SETUP], cwd=folder, check=True)
    return folder


@needs("dash", "hexdump")
@pytest.mark.parametrize("table", TABLES)
def test_does_what_the_hosts_tool_does(guest: Guest, files: Path, table: str) -> None:
    def run(script: str, program: str | None = None, path: str | None = None) -> tuple[int, str, bool]:
        here = guest.anew()
        shutil.copytree(files, here.cwd, symlinks=True, dirs_exist_ok=True)
        ended = here.sh(script, program=program, path=path)
        # GNU's messages have additional lines and other quotes.
        return ended.status, ended.output, bool(ended.errors)

    assert_same(lines(TABLES[table]), run, lambda script: run(script, DASH, HOST))
