# SPDX-License-Identifier: GPL-2.0-only
"""Does the ladder find a function that is missing? Empties one function of a port at a time.

    python -m tests.port.emptied ARCH [--part K/N] [--sample COUNT] [--seed SEED] [--only TEXT]

Each function of the port is emptied in a copy of the tree: in Python it returns None or 0, in C 0, and a label in assembly
is followed by a return. Then `emu port check` climbs the ladder. A line says where it stopped, and what that rung lists:

    named   the function, or the failed rung shows that it was being executed
    file    other parts of its file
    group   parts that its file serves: in Python, of a module that imports its file; in the guest, of the same section of
            docs/architecture-seam.md
    other   none of these
    missed  the whole ladder has passed

The last line has the share of the first three. Functions of `exempt.toml`, whose lack no check can see, are left out.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.port.functions import EXEMPT, Groups, PortFunction, functions_of

ROOT = Path(__file__).resolve().parent.parent.parent
NAMED, FILE, GROUP, OTHER, MISSED = "named", "file", "group", "other", "missed"
FOUND = (NAMED, FILE, GROUP)
KINDS = (*FOUND, OTHER, MISSED)
_LAST_RUNG = "race-lab"  # but the test suite
_LIMIT = 1200  # seconds for one function


class Copy:
    """A copy of the tree. What has been built from it is left out: it depends on the sources in the tree itself."""

    def __init__(self, folder: Path, arch: str) -> None:
        self.root, self.arch = folder / "tree", arch
        left_out = shutil.ignore_patterns(".git", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache",
            "build")
        shutil.copytree(ROOT, self.root, ignore=left_out, symlinks=True)

    def check(self, function: PortFunction) -> str:
        """The output of `emu port check` with a function emptied."""
        path = self.root / function.path
        before = path.read_text()
        path.write_text(function.text)
        self._forget(function)
        try:
            return self._check()
        finally:
            path.write_text(before)
            self._forget(function)

    def _forget(self, function: PortFunction) -> None:
        """Has what depends on a function built again. Objects do not depend on the build's tools, as make sees it."""
        firmware = self.root / "firmware"
        if function.in_guest:
            (firmware / "images" / self.arch / "SOURCES").unlink(missing_ok=True)
        if function.in_guest and function.path.endswith(".py"):
            for folder in list(firmware.rglob("build")):
                shutil.rmtree(folder)

    def _check(self) -> str:
        command = [sys.executable, "-m", "emu", "port", "check", self.arch]
        environment = {**os.environ, "PYTHONPATH": str(self.root), "WERROR": "-Wno-error"}
        try:
            done = subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True, timeout=_LIMIT,
                check=False)
        except subprocess.TimeoutExpired:
            return "ladder: FAILED: it does not end\n"
        output = done.stdout + done.stderr
        if ": FAILED: " not in output and f"\n{_LAST_RUNG}: " not in output:
            raise RuntimeError(f"the ladder is not climbed: {output}")
        return output


def verdict(function: PortFunction, output: str, groups: Groups) -> tuple[str, str]:
    """The rung at which the ladder stopped, and how the function is related to it."""
    stopped = next((line.partition(":")[0] for line in output.splitlines() if ": FAILED: " in line), "")
    if not stopped:
        return "", MISSED
    listed = output.partition("functions to write, or to look at")[2].splitlines()
    parts = [line.split() for line in listed if line.startswith("    ") and not line.startswith("     ")]
    said = output.partition(": FAILED: ")[2]
    if any(part[0].rpartition(".")[2] == function.name for part in parts) or f"{function.name}, {function.path}" in said:
        return stopped, NAMED
    places = {part[1] for part in parts}
    if function.path in places:
        return stopped, FILE
    return stopped, GROUP if any(groups.serves(function.path, place) for place in places) else OTHER


def exempt(arch: str) -> dict[str, str]:
    """Reasons, by "FILE NAME"."""
    reasons: dict[str, str] = tomllib.loads(EXEMPT.read_text()).get(arch, {})
    return reasons


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arch")
    parser.add_argument("--part", default="1/1", help="K/N: every N-th function, beginning with the K-th")
    parser.add_argument("--sample", type=int, help="so many functions, chosen at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="functions whose file or name contains this")
    parser.add_argument("--list", action="store_true", help="print the functions, and check nothing")
    parser.add_argument("--least", type=float, default=0.0, help="fail below this percentage")
    options = parser.parse_args(words)
    groups = Groups(ROOT, options.arch)
    found = [function for function in functions_of(ROOT, options.arch) if groups.of_seam(function.path)]
    left_out = exempt(options.arch)
    found = [function for function in found if f"{function.path} {function.name}" not in left_out]
    chosen = [function for function in found if options.only in str(function)]
    if options.sample:
        chosen = random.Random(options.seed).sample(chosen, min(options.sample, len(chosen)))
    part, parts = map(int, options.part.split("/"))
    chosen = chosen[part - 1 :: parts]
    if options.list:
        print(*chosen, sep="\n")
        return 0
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="emu-emptied-") as folder:
        copy = Copy(Path(folder), options.arch)
        for function in chosen:
            output = copy.check(function)
            rung, kind = verdict(function, output, groups)
            counts[kind] += 1
            print(f"{kind:<7} {rung or '-':<17} {function}", flush=True)
            if os.environ.get("EMPTIED_LOG"):
                with Path(os.environ["EMPTIED_LOG"]).open("a") as log:
                    log.write(f"=== {function}\n{output}\n")
    share = 100 * sum(counts[kind] for kind in FOUND) / max(1, len(chosen))
    kinds = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS)
    print(f"{options.arch}: {len(chosen)} functions, {kinds}: {share:.1f} %")
    return 0 if share >= options.least else 1


if __name__ == "__main__":
    sys.exit(main())
