# SPDX-License-Identifier: GPL-2.0-only
"""The programs, and the files that they read.

Each does some work a few times and many times; the difference is the cost of the work, without that of starting a program. The
runs should differ mostly in user-mode instructions, as the kernel of this machine is not the guest's. So programs that need much
memory need it in both runs.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["CASES", "Case", "make_files"]


class Case(NamedTuple):
    """One program.

    In arguments, `{n}` is the number of repetitions, and the argument `{again:FILE}` expands to that many arguments with FILE's
    path.
    """

    name: str
    busybox: bool  # whether it is an applet of busybox, or one of the guest's own programs
    arguments: Sequence[str]
    few: int
    many: int
    memory: bool = False  # whether this kind of work spends most of its time waiting for memory

    def words(self, n: int, folder: str) -> list[str]:
        """The words of the command; the first is the program's name."""
        made: list[str] = []
        for argument in self.arguments:
            if argument.startswith("{again:"):
                made += [f"{folder}/{argument[7:-1]}"] * n
            else:
                made.append(argument.replace("{n}", str(n)))
        return made


def _awk(name: str, body: str, few: int, many: int, memory: bool = False) -> Case:
    return Case(f"awk: {name}", True, ["awk", f"BEGIN{{{body}}}"], few, many, memory)


_ARRAY = "for(i=0;i<SIZE;i++)a[i]=(i*7919+13)%SIZE; for(i=0;i<{n};i++)s+=a[(i*104729)%SIZE]; print s"
_LIST = "for(i=0;i<SIZE;i++)a[i]=(i*7919+13)%SIZE; for(i=0;i<{n};i++)k=a[k]; print k"
_MATCH = "case $i$i in *7*3*) a=$i;; *9) a=x$i;; esac"
CASES = [
    # The guest's own programs.
    Case("sh: arithmetic", False, ["sh", "-c", "i=0; while [ $i -lt {n} ]; do i=$((i+1)); done"], 100, 1500),
    Case("sh: case", False, ["sh", "-c", f"i=0; while [ $i -lt {{n}} ]; do i=$((i+1)); {_MATCH}; done"], 100, 1000),
    Case("seq", False, ["seq", "1", "{n}"], 1000, 30000),
    Case("sort -n", False, ["sort", "-n", "{again:numbers}"], 1, 2),
    Case("sed", False, ["sed", "s/[aeiou]/zz/g", "{again:text}"], 1, 2),
    Case("grep", False, ["grep", "-c", "e.*q", "{again:text}"], 1, 4),
    Case("wc", False, ["wc", "{again:text}"], 1, 24),
    Case("cut", False, ["cut", "-d", "e", "-f", "2", "{again:text}"], 1, 16),
    Case("hexdump", False, ["hexdump", "-C", "{again:text}"], 1, 2),
    # Applets of busybox.
    _awk("sum of squares", "for(i=0;i<{n};i++)s+=i*i; print s", 1000, 12000),
    _awk("substr and compare", 'for(i=0;i<{n};i++){s=substr("abcdefghij",i%8+1,2); if(s=="cd")n++} print n', 1000, 6000),
    _awk("small array", "for(i=0;i<{n};i++)a[i%100]+=i; for(k in a)t+=a[k]; print t", 1000, 8000),
    _awk("gsub", 'for(i=0;i<{n};i++){s="the quick brown fox " i; gsub(/[aeiou]/,"z",s); n+=length(s)} print n', 100, 2000),
    _awk("large array", _ARRAY.replace("SIZE", "20000"), 100, 8000, memory=True),
    _awk("larger array", _ARRAY.replace("SIZE", "60000"), 100, 12000, memory=True),
    _awk("chasing through a large array", _LIST.replace("SIZE", "40000"), 100, 12000, memory=True),
    Case("busybox sh: arithmetic", True, ["sh", "-c", "i=0; while [ $i -lt {n} ]; do i=$((i+1)); done"], 100, 3000),
    Case("md5sum", True, ["md5sum", "{again:bytes}"], 1, 40),
    Case("sha256sum", True, ["sha256sum", "{again:bytes}"], 1, 9),
    Case("sha3sum", True, ["sha3sum", "{again:bytes}"], 1, 12),
    Case("crc32", True, ["crc32", "{again:bytes}"], 1, 60),
    Case("od", True, ["od", "-x", "{again:text}"], 1, 4),
    Case("busybox grep", True, ["grep", "-c", "e.*q", "{again:text}"], 1, 4),
    Case("busybox sed", True, ["sed", "s/[aeiou]/zz/g", "{again:text}"], 1, 2),
    Case("busybox wc", True, ["wc", "{again:text}"], 1, 16),
    Case("rev", True, ["rev", "{again:text}"], 1, 12),
    Case("dc: power", True, ["dc", "-e", "3 {n} ^ p"], 500, 6000),
    Case("factor", True, ["factor", "{n}"], 1000003, 100000000000031),
    Case("gzip", True, ["gzip", "-c", "{again:text}"], 1, 3),
    Case("gunzip", True, ["gunzip", "-c", "{again:text.gz}"], 1, 8),
    Case("bzip2", True, ["bzip2", "-c", "{again:large}"], 1, 2, memory=True),
    Case("bunzip2", True, ["bunzip2", "-c", "{again:large.bz2}"], 1, 2, memory=True),
    Case("unxz", True, ["unxz", "-c", "{again:large.xz}"], 1, 2, memory=True),
    Case("busybox sort", True, ["sort", "{again:lines}"], 1, 2, memory=True),
    Case("busybox sort -n", True, ["sort", "-n", "-k", "2", "{again:lines}"], 1, 2, memory=True),
]


def make_files(folder: Path) -> None:
    """Writes the files that programs read, each time with the same bytes."""
    chance = random.Random(5)
    letters, often = "etaoinshrdlucmfwypvbgkjqxz", range(26, 0, -1)
    words = ["".join(chance.choices(letters, often, k=chance.randint(1, 10))) for _ in range(4000)]
    lines = [" ".join(chance.choices(words, k=chance.randint(1, 14))) for _ in range(40000)]

    def text(count: int) -> bytes:
        return "".join(line + "\n" for line in lines[:count]).encode()

    files = {
        "text": text(1000), "bytes": chance.randbytes(1 << 16), "large": text(5000),
        "numbers": "".join(f"{chance.randrange(10**9)}\n" for _ in range(4000)).encode(),
        "lines": "".join(f"{chance.choice(words)} {chance.randrange(10**9)}\n" for _ in range(6000)).encode(),
    }  # fmt: skip
    files["text.gz"] = gzip.compress(files["text"], mtime=0)
    files["large.bz2"], files["large.xz"] = bz2.compress(files["large"]), lzma.compress(files["large"], preset=4)
    for name, data in files.items():
        (folder / name).write_bytes(data)
