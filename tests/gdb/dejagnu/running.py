# SPDX-License-Identifier: GPL-2.0-only
"""Runs one of gdb's tests with DejaGnu."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["TESTS", "Named", "Result", "missing", "named_tests", "result_in", "run"]

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
TESTS = HERE / "tests.txt"
OUTCOMES = (
    "PASS", "FAIL", "KPASS", "XPASS", "KFAIL", "XFAIL", "UNTESTED", "UNSUPPORTED", "UNRESOLVED", "ERROR", "PATH", "DUPLICATE",
)  # fmt: skip
END = "=== gdb Summary ==="
LONGEST = 1800  # seconds
CPU = "x86_64-pc-linux-gnu"
SITE = """\
set tool gdb
set srcdir {testsuite}
set objdir {folder}
set host_triplet {cpu}
set build_triplet {cpu}
set target_triplet {cpu}
set target_alias {cpu}
set GDBFLAGS ""
lappend boards_dir {boards}
"""


@dataclass(frozen=True)
class Named:
    """A test on the list.

    Attributes:
        name: FOLDER/FILE.exp.
        reason: why some of it fails; "": nothing does.
    """

    name: str
    reason: str


@dataclass(frozen=True)
class Result:
    """What has come of a test.

    Attributes:
        counts: how many checks had which outcome.
        failed: the names of those that failed.
        log: the end of DejaGnu's.
    """

    counts: Mapping[str, int]
    failed: tuple[str, ...]
    log: str

    @property
    def passes(self) -> int:
        """Checks that passed."""
        return self.counts.get("PASS", 0)


def named_tests() -> Iterator[Named]:
    """The list."""
    for line in TESTS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, reason = line.partition(" ")
            yield Named(name, reason.strip())


def missing() -> list[str]:
    """The programs that are needed and not there."""
    return [name for name in ("runtest", "gdb", "gcc") if shutil.which(name) is None]


def run(testsuite: Path, name: str, folder: Path) -> Result:
    """Runs a test.

    Args:
        testsuite: gdb/testsuite in gdb's sources.
        name: FOLDER/FILE.exp.
        folder: an empty folder, in which DejaGnu works.
    """
    ready = folder / "ready.o"
    subprocess.run(["gcc", "-O1", "-c", str(HERE / "ready.c"), "-o", str(ready)], check=True)
    (folder / "site.exp").write_text(SITE.format(testsuite=testsuite.resolve(), folder=folder, boards=HERE, cpu=CPU))
    emu = [sys.executable, "-m", "emu", "gdb", "--cpus", "1", "--share", f"{folder}:/mnt/tests"]
    environment = {
        **os.environ, "EMU": " ".join(emu), "EMU_READY": str(ready), "EMU_FOLDER": str(folder), "PYTHONPATH": str(ROOT),
        "TERM": "dumb", "LC_ALL": "C",
    }  # fmt: skip
    done = subprocess.run(
        ["runtest", "--tool", "gdb", "--target_board=emu", f"GDB={shutil.which('gdb')}", name],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        timeout=LONGEST, check=False,
    )  # fmt: skip
    found = result_in(name, folder)
    return Result({}, ("it did not run",), done.stdout.decode(errors="replace")[-2000:]) if found is None else found


def result_in(name: str, folder: Path) -> Result | None:
    """The result of a test that has run in a folder; None: it has not ended."""
    summary = folder / "gdb.sum"
    if not summary.is_file() or END not in (text := summary.read_text(errors="replace")):
        return None
    outcomes = [(kind, rest) for line in text.splitlines() for kind, _, rest in [line.partition(": ")] if kind in OUTCOMES]
    failed = tuple(rest.removeprefix(f"{name}: ") for kind, rest in outcomes if kind in ("FAIL", "UNRESOLVED", "ERROR"))
    return Result(Counter(kind for kind, _ in outcomes), failed, text[-2000:])
