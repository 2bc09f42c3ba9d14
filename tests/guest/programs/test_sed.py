# SPDX-License-Identifier: GPL-2.0-only
"""sed compared with GNU sed: the same output, messages and status for the same script."""

from __future__ import annotations

import random
import shutil
import subprocess

import pytest

from tests.guest.programs.conftest import Guest
from tests.guest.programs.table import assert_same, lines

TEXT = "hello world\nfoo bar\n\nabcabc aa\na/b/c\nline [x] *y* $z\nlast line"

SUBSTITUTIONS = r"""
s/o/0/
s/o/0/g
s/o/0/2
s/o/0/2g
s/[aeiou]/z/g
s/[^a-z]/_/g
s/a*/x/g
s/x*/-/g
s/a*$/x/g
s/^/> /
s/$/ </
s/\(a\)\(b\)/\2\1/g
s/\(.\)\1/<\1>/g
s/\(\(a\)b\)/\2\1/
s/\(a\)\(x\)*/[\1\2]/g
s/\(abc\)*/Y/
s/\(a*\)*/Y/
s/\(a*b*\)\{2\}c/Y/
s/.*/[&]/
s/o/a\&b/
s,/,|,g
s|/|\||g
s/\//-/g
s/[/]/X/g
s/[]x]/R/g
s/[*.]/P/g
s/[a\]]/P/g
s/[\n]/X/
s/[[:space:]]/_/g
s/[[:alpha:]]\{2,3\}/W/g
s/[[:upper:]]/U/;s/[[:digit:][:punct:]]/D/g
s/l\{2\}/L/
s/l\+/L/
s/lo\?/L/g
s/.\{3\}/&|/g
s/a.c/X/g
s/\./X/g
s/\*/S/g
s/*/S/
s/^*b/X/
s/\(*a\)/X/
s/\$/D/
s/a$/E/
s/a^b/E/
s/$z/E/
s/^a/X/g
s/\(^a\)/X/
s/\(a$\)/X/
s/o/\n/
s/a/\t/
s/o/p/p
s/a/b/;s/b/c/
s/a/b/ ; p
s/A/[&]/I
s/a/[&]/2gI
s/^x/y/M;N;N;s/^f/[&/M;s/d$/&]/M
s/a/\U&x\Ey\uz/g
s/\([a-z]\)\([a-z]*\)/\u\1\U\2\E./g
s/\w*/\L\u&/g
s/a/\x26/
s/\d97/q/
s/\o141/q/;s/x/\d65\o102\x43/
s/[ \t]/T/g
s/a/\cA\a\f\v\r/
$!s/o/x/w /dev/stdout
$!s/o/x/pw /dev/stdout
s/a/b/;;p
"""

COMMANDS = r"""
p
p;p
2d
2,4d
2,$d
$!d
2!d
2 , 3 d
/foo/d
/ab\/c/d
\,a/b,d
/[/]/d
/foo/,/line/d
/hello/,/nomatch/d
/abc/,2p
2,1p
4,/a/p
/a/!s/^/N/
/o/s//X/g
=
3q
q5
d
q 3
Q4
2Q
2{p;q}
2{x;q}
{;p;;}
1,3{2d;s/^/x/}
1,4{/o/{s/o/0/;=};p}
1 {p};p
2!{p}
2 !p
0,/o/d
1,/o/d
0,/nothing/s/^/x/
1~2p
0~3d
2~0p
2,+2d
2,+0p
1,~3p
/a/,~4p
/a/,+1d
/A/Id
/A/I,/B/Id
/o/,3{N;N;N;s/\n/+/g}
n;d
$!n;d
n;n;s/^/x/
N;P;D
$!N;P;D
$!N;s/\n/ /
N;N;s/\n/+/g
N;l;P;D
1!G;h;$!d
G
x;p;x
1h;2G
g
H;$!d;x;s/\n/,/g
h;y/abc/xyz/;H;x
y/a\/b/123/
y,a\,o,123,
y/o\n/0+/
$!N;y/\n/+/
y/abc/\n\\x/
:a;s/o/0/;ta
:a;$!{N;ba};s/\n/+/g
/foo/b;s/^/x/
/foo/bend;s/^/x/;:end;p
s/o/0/;T;s/$/!/
s/o/0/;Tx;s/$/!/;:x
s/a/b/;n;tx;s/$/no/;:x
b a;p;:a
:a p
a text
a\text
a\  text
a  two\  x
a x\ty\\n
2i before
$a end
1cx
2,4cx
2,4!cx
$!N;cx
2q;cx
$!{$!cx
i a;b}
r a.c
$r a.c
2r nofile
1r a.c
$!w /dev/stdout
$!W /dev/stdout
N;W /dev/stdout
l
l 20
l 1
l 0
z;s/^/x/
F
p # comment
p;# comment
"""

ERRORS = r"""
k
2
0p
1,p
p p
1,2q
/foo
s
s/a
s/a/b
s/a/b/k
s/a/b/0
s/a/\1/
s/\(a/b/
s/a\)/b/
s/[a/b/
s/a**/b/
s/a\{1/b/
s/a\{2,1\}/b/
s/[z-a]/x/
s/[[:foo:]]/x/
//p
}
{p
p}
{p}}
{1}
1}
1!!p
1:a
1#c
+3p
~3p
1~
0~0p
0,3p
$~2p
a
i
:
:a}
bx
tx;p
r
w
w /nodir/x
s/a/b/w
s/a/b/ w
s/a/b/pp
s/a/b/gg
s/a/b/2 3
y/a/bc/
y/a
y/a/b
y/a/b/p
l x
"""

INVOCATIONS = [
    ["-n", "p"],
    ["-n", "$="],
    ["-n", "$p"],
    ["-n", "s/o/p/gp"],
    ["-ne", "2p"],
    ["-e", "s/a/b/", "-e", "s/b/c/g"],
    ["s/o/\\\n/"],
    ["# comment\np"],
    [""],
    ["p", "nofile"],
    ["-n", "$p", "a.c", "nofile", "-", "b.c"],
    ["p", "dir", "a.c"],
    ["a\\", "-"],
    ["-e", "a\\", "-e", "  two"],
    ["-e", "i\\", "-e", "one", "-e", "p"],
    ["2a\\\n  indented\\\nsecond\\\\x\np"],
    ["1{\n  p\n  a x\n}"],
    ["#n\np"],
    ["#n"],
    ["-e", "1{", "-e", "p", "-e", "}"],
    ["-e", "p", "-e", "k"],
    ["-e", "p", "-e", "{"],
    ["-E", "s/(a)(b)?/<\\1\\2>/g"],
    ["-r", "-n", "/(foo|hello)/p"],
    ["-nE", "s/l{2}/L/p"],
    ["--quiet", "--expression=1p"],
    ["--regexp-extended", "s/(.)/\\1\\1/"],
    ["-s", "-n", "$p;1F;$=", "a.c", "-", "b.c"],
    ["-s", "1,2s/^/x/", "a.c", "b.c"],
    ["-s", "N;s/\\n/+/", "a.c", "-", "b.c"],
    ["N;s/\\n/+/", "a.c", "-", "b.c"],
    ["p", "-", "a.c"],
    ["-n", "F", "-", "a.c"],
    ["-z", "s/^./X/;s/\\n/+/g"],
    ["-l", "5", "-n", "l"],
    ["-l", "1", "-n", "l"],
    ["--line-length=10", "-n", "l"],
    ["-i", "p"],
    ["-f", "nofile"],
]

GNU_SED = shutil.which("sed") or ""


def gnu_sed() -> bool:
    if not GNU_SED:
        return False
    version = subprocess.run([GNU_SED, "--version"], capture_output=True, check=False)
    return b"GNU sed) 4" in version.stdout


pytestmark = pytest.mark.skipif(not gnu_sed(), reason="needs GNU sed 4")


def assert_as_gnu(guest: Guest, table: list[list[str]], text: str = TEXT) -> None:
    assert_same(
        table,
        lambda arguments: guest.run("sed", *arguments, stdin=text),
        lambda arguments: guest.run("sed", *arguments, program=GNU_SED, stdin=text),
    )


TABLES = {
    "substitutions": [[line] for line in lines(SUBSTITUTIONS)],
    "commands": [[line] for line in lines(COMMANDS)],
    "errors": [[line] for line in lines(ERRORS)],
    "invocations": INVOCATIONS,
}


@pytest.mark.parametrize("table", TABLES)
def test_does_what_gnu_sed_does(guest: Guest, table: str) -> None:
    assert_as_gnu(guest, TABLES[table])


IN_PLACE = [
    ["-i", "s/^/x/", "a.c", "b.c"],
    ["-i.bak", "s/^/x/;$a end", "a.c", "b.c"],
    ["-i", "-e", "1!d;s/$/\\n$/", "a.c"],
    ["--in-place=.old", "p", "a.c"],
    ["-i", "1i first", "a.c", "nofile", "dir", "b.c"],
    ["-n", "-i", "2p", "a.c"],
    ["-i", "wcopy\nq", "a.c"],
    ["-ibak_*", "p", "a.c"],
    ["s/^/x/w copy", "a.c", "b.c"],
]


def test_changes_files_as_gnu_sed_does(guest: Guest) -> None:
    def run(arguments: list[str], program: str | None = None) -> object:
        here = guest.anew()
        for name in ("a.c", "b.c", "dir/f"):
            (here.cwd / name).write_text(f"{name}\nlast")
        (here.cwd / "a.c").chmod(0o751)
        ended = here.run("sed", *arguments, program=program)
        files = (path for path in here.cwd.rglob("*") if path.is_file())
        return ended, {str(path.relative_to(here.cwd)): (path.read_text(), path.stat().st_mode) for path in files}

    assert_same(IN_PLACE, run, lambda arguments: run(arguments, GNU_SED))


def test_scripts_in_files(guest: Guest) -> None:
    (guest.cwd / "good").write_text("#!/bin/sed -f\n/foo/{\n  s/o/0/g\n  a\\\ntext \\\nmore\n}\n\n$!d\n")
    (guest.cwd / "bad").write_text("p\n\nk\n")
    (guest.cwd / "open").write_text("a\\")
    assert_as_gnu(guest, [["-f", "good"], ["-n", "-f", "good", "-e", "p"], ["-f", "bad"], ["-f", "open", "-e", "x"]])


def test_random_expressions(guest: Guest) -> None:
    """Without references to repeated groups, on which GNU sed contradicts itself."""
    choose = random.Random(0)
    atoms = ["a", "b", "c", ".", "[ab]", "[^a]", "[a-c]", r"\(a\)", r"\(b*c\)", r"\(.\)", "x"]
    repeats = ["", "", "", "*", r"\{1,2\}", r"\{2\}", r"\?", r"\+"]
    scripts = []
    for _ in range(200):
        pieces = [choose.choice(atoms) + choose.choice(repeats) for _ in range(choose.randint(1, 4))]
        expression = choose.choice(["", "", "^"]) + "".join(pieces) + choose.choice(["", "", "$"])
        scripts.append([f"s/{expression}/<&>/{choose.choice(['', 'g', '2'])}"])
    words = ["".join(choose.choices("abcx", k=choose.randint(0, 8))) for _ in range(60)]
    assert_as_gnu(guest, scripts, "\n".join(words))


def test_a_long_line_takes_no_stack(guest: Guest) -> None:
    assert guest.run("sed", "s/.*b/x/", stdin="a" * 300_000 + "bc").output == "xc"
