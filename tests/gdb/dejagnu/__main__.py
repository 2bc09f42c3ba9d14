# SPDX-License-Identifier: GPL-2.0-only
"""Writes docs/gdb-tests.md: gdb's own tests, each with its result.

    ./venv python -m tests.gdb.dejagnu GDB-SOURCES/gdb/testsuite > docs/gdb-tests.md        (`make gdb-tests`)
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.gdb.dejagnu.running import Named, Result, missing, named_tests, result_in, run

HEAD = """\
# gdb's own tests

Which of the tests in gdb's sources pass on a program in a guest. DejaGnu compiles a test's program, and boots a machine
with one CPU that is about to run it. gdb connects to `emu gdb --port`, and debugs the whole machine, with the symbols
of the program only. gdb is {version}. `make gdb-tests GDB=FOLDER` writes this document; FOLDER has gdb's sources.
The board is [`tests/gdb/dejagnu/emu.exp`](../tests/gdb/dejagnu/emu.exp).

A *check* is what gdb's tests call a test: a command whose answer is compared. Tests in `gdb.reverse` go back in time.
Checks that need what a machine does not have are left out by the tests themselves: signals, threads, files of the
host, shared libraries (programs are static), and a program that is started again without a new machine.
In `catch-syscall.exp`, calls of a child stop, too, `execve` does not return, and gdb is not told that a program has
ended, because it can go back.

| test | pass | fail | remarks |
|---|---:|---:|---|
"""
REMARKS = {
    "KPASS": "known to fail elsewhere, pass here", "XPASS": "expected to fail, pass", "KFAIL": "known to fail in gdb",
    "XFAIL": "expected to fail", "UNTESTED": "not tested", "UNSUPPORTED": "not for such a target",
}  # fmt: skip


def row(test: Named, result: Result) -> str:
    """A line of the table."""
    said = [f"{result.counts[kind]} {text}" for kind, text in REMARKS.items() if result.counts.get(kind)]
    if result.failed:
        said.append(test.reason or f"**unexplained: {result.failed[0]}**")
    elif test.reason and not result.passes:
        said.append(test.reason)
    return f"| `{test.name}` | {result.passes} | {len(result.failed) or ''} | {'; '.join(said)} |"


def rows(testsuite: Path, tests: Sequence[Named], folder: Path) -> Iterator[str]:
    """The table."""
    total: Counter[str] = Counter()
    for test in tests:
        own = folder / Path(test.name).stem
        result = result_in(test.name, own)
        if result is None:
            shutil.rmtree(own, ignore_errors=True)
            own.mkdir(parents=True)
            result = run(testsuite, test.name, own)
        total.update({"pass": result.passes, "fail": len(result.failed)})
        print(f"{test.name}: {result.passes} pass, {len(result.failed)} fail", *result.failed, sep="\n  ", file=sys.stderr)
        yield row(test, result)
    yield f"| **{len(tests)} tests** | **{total['pass']}** | **{total['fail']}** | |"


def main() -> None:
    """Runs the tests on the list, or those that are named."""
    parser = argparse.ArgumentParser(description="Runs gdb's own tests, and writes docs/gdb-tests.md to standard output.")
    parser.add_argument("testsuite", type=Path, help="gdb/testsuite in gdb's sources")
    parser.add_argument("names", nargs="*", metavar="TEST", help="FOLDER/FILE.exp; default: those in tests.txt")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep logs here; what has run is not run again")
    asked = parser.parse_args()
    if absent := missing():
        parser.error(f"needs {', '.join(absent)}")
    if not (asked.testsuite / "lib/gdb.exp").is_file():
        parser.error(f"{asked.testsuite} is not gdb/testsuite of gdb's sources")
    known = {test.name: test for test in named_tests()}
    tests = [known.get(name, Named(name, "")) for name in asked.names] or list(known.values())
    said = subprocess.run(["gdb", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    print(HEAD.format(version=said.splitlines()[0].rpartition(" ")[2]), end="")
    with tempfile.TemporaryDirectory(prefix="emu-gdb-tests-") as scratch:
        for line in rows(asked.testsuite, tests, (asked.keep or Path(scratch)).resolve()):
            print(line, flush=True)


if __name__ == "__main__":
    main()
