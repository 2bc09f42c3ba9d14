# SPDX-License-Identifier: GPL-2.0-only
"""What other tools predict for blocks: llvm-mca and OSACA. Their answers are stored, so that the tables need neither tool."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shutil import which
from typing import NamedTuple

from calibration import stored
from calibration.blocks.entries import blocks_of
from calibration.blocks.rows import row_code, rows_of

__all__ = ["Peer", "ask_peers", "peers_for", "stored_answers"]

_AT_ONCE = 100  # blocks
_ITERATIONS = 100
_NOT_ASKED = -1  # among the cycles that are stored


class Peer(NamedTuple):
    """An installed tool."""

    name: str
    tool: str  # for llvm-mca its path, for OSACA that of a Python that has it
    cpu: str  # the tool's name for it
    version: str

    def predict(self, blocks: Sequence[bytes]) -> Iterator[dict[bytes, float | None]]:
        """The cycles of blocks, some at a time; None if the tool cannot read a block."""
        for n in range(0, len(blocks), _AT_ONCE):
            some = blocks[n : n + _AT_ONCE]
            found = self._some(some)
            yield {code: found.get(code) for code in some}

    def _some(self, blocks: Sequence[bytes]) -> dict[bytes, float]:
        ask = _osaca if self.name.startswith("OSACA") else _mca
        found = ask(self, blocks)
        if found is not None:
            return found
        if len(blocks) == 1:
            return {}
        half = len(blocks) // 2  # to find the one block that the tool refuses
        return self._some(blocks[:half]) | self._some(blocks[half:])


def _disassembly(tool: str, blocks: Sequence[bytes]) -> list[str]:
    """The disassembly by llvm-mc, in AT&T syntax. Each block is followed by `int3`, which no block contains."""
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


# OSACA's command takes one block, and a second for it. So it is used as a library: this does what `osaca.osaca.inspect` does.
_OSACA = r"""
import json, sys
from osaca.osaca import get_asm_parser
from osaca.semantics import ArchSemantics, KernelDG, MachineModel, reduce_to_section
output, sys.stdout = sys.stdout, sys.stderr
parser = get_asm_parser(sys.argv[1], "ATT")
model = MachineModel(arch=sys.argv[1])
semantics = ArchSemantics(parser, model)
answers = {}
for name, text in json.load(sys.stdin).items():
    try:
        kernel = reduce_to_section(parser.parse_file(text), parser)
        semantics.normalize_instruction_forms(kernel)
        semantics.add_semantics(kernel)
        semantics.assign_optimal_throughput(kernel)
        semantics.assign_optimal_throughput(kernel)
        carried = KernelDG(kernel, parser, model, semantics, 10, False).get_loopcarried_dependencies()
        ports = semantics.get_throughput_sum(kernel)
        answers[name] = max([*ports, *(chain["latency"] for chain in carried.values())])
    except (Exception, SystemExit):
        continue
json.dump(answers, output)
"""


def _osaca(peer: Peer, blocks: Sequence[bytes]) -> dict[bytes, float] | None:
    """The larger of the most loaded port and the longest loop-carried dependency."""
    disassembler = which("llvm-mc-19") or which("llvm-mc")
    assert disassembler is not None
    parts = _disassembly(disassembler, blocks)
    texts = {code.hex(): f"# OSACA-BEGIN\n{part}\n# OSACA-END\n" for code, part in zip(blocks, parts, strict=True)}
    done = subprocess.run([peer.tool, "-c", _OSACA, peer.cpu], input=json.dumps(texts), capture_output=True, text=True)
    try:
        answers = json.loads(done.stdout)
    except ValueError:
        return None
    return {bytes.fromhex(name): round(cycles, 3) for name, cycles in answers.items()}


def _version(*command: str) -> str:
    text = subprocess.run(command, capture_output=True, text=True).stdout
    found = re.search(r"\d+\.\d+\.\d+", text)
    return found[0] if found else "?"


def peers_for(machine: str, osaca_python: str | None = None) -> Iterator[Peer]:
    """The tools on this machine, with the nearest CPU model that each knows.

    Args:
        machine: the microarchitecture.
        osaca_python: the path of a Python that has OSACA.
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


def stored_answers(machine: str) -> dict[str, dict[bytes, float | None]]:
    """The answers of tools by name; None if they could not read a block."""
    try:
        data = stored.load(machine, "peers")
    except FileNotFoundError:
        return {}
    codes = _asked_about(machine)
    return {
        name: {code: answer for code, answer in zip(codes, answers, strict=True) if answer != _NOT_ASKED}
        for name, answers in data["columns"].items()
    }


def _asked_about(machine: str) -> list[bytes]:
    """The blocks and rows measured on a machine; answers are stored in this order."""
    return list(dict.fromkeys([block.code for block in blocks_of(machine)] + [row_code(row.blocks) for row in rows_of(machine)]))


def ask_peers(osaca_python: str | None = None) -> Path:
    """Stores what tools predict for the blocks and rows of blocks that were measured on this machine. They are only asked about
    those without a stored answer. OSACA takes a second for a block and many for a row, so it is not asked about rows."""
    machine = stored.machine_name()
    blocks = [block.code for block in blocks_of(machine)]
    rows = [row_code(row.blocks) for row in rows_of(machine)]
    answers = stored_answers(machine)
    versions = stored.load(machine, "peers")["versions"] if answers else {}
    path = stored.MEASUREMENTS
    for peer in peers_for(machine, osaca_python):
        if versions.get(peer.name) != peer.version:
            answers[peer.name], versions[peer.name] = {}, peer.version
        known = answers[peer.name]
        asked = [code for code in blocks + (rows if "mca" in peer.name else []) if code not in known]
        asked.sort(key=stored.held_out, reverse=True)  # the half that is judged comes first
        for found in peer.predict(asked):
            known |= found
            path = _save(machine, answers, versions)
            print(f"{peer.name}: {len(known)}", file=sys.stderr)
    return path


def _save(machine: str, answers: Mapping[str, Mapping[bytes, float | None]], versions: Mapping[str, str]) -> Path:
    failed = {name: sum(answer is None for answer in known.values()) for name, known in answers.items()}
    codes = _asked_about(machine)
    columns = {name: [known.get(code, _NOT_ASKED) for code in codes] for name, known in answers.items()}
    return stored.save_columns(machine, "peers", {"versions": versions, "failed": failed, "not asked": _NOT_ASKED}, columns)
