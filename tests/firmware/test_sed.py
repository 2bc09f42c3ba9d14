# SPDX-License-Identifier: GPL-2.0-only
"""sed beside GNU sed: the same output, messages and status for the same script."""

from __future__ import annotations

import random
import shutil
import subprocess

import pytest

from tests.firmware.conftest import Ended, Guest

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
"""

SCRIPTS = [[line] for group in (SUBSTITUTIONS, COMMANDS, ERRORS) for line in group.strip().splitlines()]
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
]

GNU_SED = shutil.which("sed") or ""


def gnu_sed() -> bool:
    if not GNU_SED:
        return False
    version = subprocess.run([GNU_SED, "--version"], capture_output=True, check=False)
    return b"GNU sed) 4" in version.stdout


pytestmark = pytest.mark.skipif(not gnu_sed(), reason="no GNU sed to compare with")


def compare(guest: Guest, arguments: list[str], text: str) -> tuple[Ended, Ended]:
    ours = guest.run("sed", *arguments, stdin=text)
    return ours, guest.run("sed", *arguments, program=GNU_SED, stdin=text)


@pytest.mark.parametrize("arguments", SCRIPTS + INVOCATIONS, ids=" ".join)
def test_does_what_gnu_sed_does(guest: Guest, arguments: list[str]) -> None:
    ours, gnu = compare(guest, arguments, TEXT)
    assert ours == gnu


def test_random_expressions(guest: Guest) -> None:
    """Without references to repeated groups, about which GNU sed is of two minds."""
    choose = random.Random(0)
    atoms = ["a", "b", "c", ".", "[ab]", "[^a]", "[a-c]", r"\(a\)", r"\(b*c\)", r"\(.\)", "x"]
    repeats = ["", "", "", "*", r"\{1,2\}", r"\{2\}", r"\?", r"\+"]
    for _ in range(300):
        pieces = [choose.choice(atoms) + choose.choice(repeats) for _ in range(choose.randint(1, 4))]
        expression = choose.choice(["", "", "^"]) + "".join(pieces) + choose.choice(["", "", "$"])
        script = f"s/{expression}/<&>/{choose.choice(['', 'g', '2'])}"
        words = ["".join(choose.choices("abcx", k=choose.randint(0, 8))) for _ in range(8)]
        ours, gnu = compare(guest, [script], "\n".join(words))
        assert ours == gnu, script


def test_a_long_line_takes_no_stack(guest: Guest) -> None:
    assert guest.run("sed", "s/.*b/x/", stdin="a" * 300_000 + "bc").output == "xc"
