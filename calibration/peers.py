# SPDX-License-Identifier: GPL-2.0-only
"""What other tools predict for blocks: llvm-mca and OSACA. Their answers are stored, so that tables need neither tool."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import which
from typing import NamedTuple

__all__ = ["Peer", "peers_for"]

_AT_ONCE = 100  # blocks
_ITERATIONS = 100


class Peer(NamedTuple):
    """A tool that is installed."""

    name: str
    tool: str  # of llvm-mca, its path; of OSACA, that of a Python that has it
    cpu: str  # as the tool names it
    version: str

    def predict(self, blocks: Sequence[bytes]) -> dict[bytes, float]:
        """The cycles of those blocks that the tool can read."""
        found: dict[bytes, float] = {}
        for n in range(0, len(blocks), _AT_ONCE):
            found.update(self._some(blocks[n : n + _AT_ONCE]))
        return found

    def _some(self, blocks: Sequence[bytes]) -> dict[bytes, float]:
        ask = _osaca if self.name.startswith("OSACA") else _mca
        found = ask(self, blocks)
        if found is not None:
            return found
        if len(blocks) == 1:
            return {}
        half = len(blocks) // 2  # one block that the tool refuses is looked for
        return self._some(blocks[:half]) | self._some(blocks[half:])


def _disassembly(tool: str, blocks: Sequence[bytes]) -> list[str]:
    """As llvm-mc writes it, in AT&T's syntax. Each block is followed by `int3`, which no block contains."""
    text = "\n".join(" ".join(f"{byte:#04x}" for byte in code + b"\xcc") for code in blocks)
    done = subprocess.run([tool, "-disassemble", "-triple=x86_64"], input=text, capture_output=True, text=True)
    return [part.replace("\t.text\n", "") for part in re.split(r"\tint3\n?", done.stdout)[: len(blocks)]]


def _mca(peer: Peer, blocks: Sequence[bytes]) -> dict[bytes, float] | None:
    parts = _disassembly(peer.tool.replace("llvm-mca", "llvm-mc"), blocks)
    source = "".join(f"# LLVM-MCA-BEGIN {n}\n{part}\n# LLVM-MCA-END\n" for n, part in enumerate(parts))
    command = [peer.tool, "-mtriple=x86_64", f"-mcpu={peer.cpu}", "-json", f"-iterations={_ITERATIONS}"]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return None
    return {
        blocks[int(region["Name"])]: round(region["SummaryView"]["TotalCycles"] / _ITERATIONS, 3)
        for region in answer["CodeRegions"]
    }


# OSACA has no interface for many blocks, and its start takes a second. So it is called as a library, one process for some.
_OSACA = r"""
import io, json, sys
from osaca.osaca import create_parser, run
answers = {}
for name in sys.argv[2:]:
    arguments = create_parser().parse_args(["--arch", sys.argv[1], "--ignore-unknown", name])
    output = io.StringIO()
    try:
        run(arguments, output_file=output)
        answers[name] = output.getvalue()
    except BaseException as refused:
        print(name, repr(refused), file=sys.stderr)
json.dump(answers, sys.stdout)
"""


def _osaca(peer: Peer, blocks: Sequence[bytes]) -> dict[bytes, float] | None:
    disassembler = which("llvm-mc") or which("llvm-mc-19")
    assert disassembler is not None
    with tempfile.TemporaryDirectory() as directory:
        paths = {}
        for n, (code, part) in enumerate(zip(blocks, _disassembly(disassembler, blocks), strict=True)):
            path = Path(directory) / f"{n}.s"
            path.write_text(f"# OSACA-BEGIN\n{part}\n# OSACA-END\n")
            paths[str(path)] = code
        done = subprocess.run([peer.tool, "-c", _OSACA, peer.cpu, *paths], capture_output=True, text=True)
        try:
            answers = json.loads(done.stdout)
        except ValueError:
            return None
    return {paths[name]: cycles for name, text in answers.items() if (cycles := _osaca_cycles(text)) is not None}


def _osaca_cycles(text: str) -> float | None:
    """The larger of the most loaded port and the longest dependency that goes round the loop: the line of sums."""
    for line in reversed(text.splitlines()):
        numbers = re.findall(r"\d+\.?\d*", line)
        if len(numbers) > 5 and re.fullmatch(r"[\s\d.|]*", line):
            *ports, _critical_path, carried = map(float, numbers)
            return round(max(*ports, carried), 3)
    return None


def _version(*command: str) -> str:
    text = subprocess.run(command, capture_output=True, text=True).stdout
    found = re.search(r"\d+\.\d+\.\d+", text)
    return found[0] if found else "?"


def peers_for(machine: str, osaca_python: str | None = None) -> Iterator[Peer]:
    """The tools that this machine has, with the nearest CPU model that each knows.

    Args:
        machine: the microarchitecture.
        osaca_python: a Python that OSACA is installed for.
    """
    cpus = {"zen3": ("znver3", "zen3"), "zen4": ("znver4", "zen4"), "zen2": ("znver2", "zen2"), "zen": ("znver1", "zen1")}
    mca_cpu, osaca_cpu = cpus[machine]
    for name in ("llvm-mca-14", "llvm-mca-19"):
        if tool := which(name):
            version = _version(tool, "--version")
            yield Peer(f"llvm-mca {version.partition('.')[0]}, {mca_cpu}", tool, mca_cpu, version)
    if osaca_python:
        version = _version(osaca_python, "-c", "from importlib.metadata import version; print(version('osaca'))")
        yield Peer(f"OSACA, {osaca_cpu}", osaca_python, osaca_cpu, version)
