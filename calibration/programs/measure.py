# SPDX-License-Identifier: GPL-2.0-only
"""What whole programs cost on this machine, and in emu."""

from __future__ import annotations

import platform
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from calibration import stored
from calibration.blocks.measure import UNIT, build, compiler
from calibration.programs.cases import CASES, Case, make_files
from emu import Machine
from emu.machine import image_directory

__all__ = ["Program", "machine_for", "measure_programs", "model_cycles", "programs_of"]

_GUEST_FOLDER = "/in"
_PASSES, _ROUNDS = 12, 6  # rounds of each program in a pass through all of them


class Program(NamedTuple):
    """The measured cycles of a program: those of doing the work many times less those of doing it a few times."""

    case: Case
    cycles: float
    spread: float  # the ranges of the three smallest runs with few and with many, added up, as a fraction of the cycles

    @property
    def held_out(self) -> bool:
        """Whether it is in the half that is not looked at while tuning."""
        return stored.held_out(self.case.name.encode())


def _unpack(archive: bytes, folder: Path) -> None:
    """Unpacks the programs of a cpio archive in the "newc" format into a folder."""
    at = 0
    while True:
        fields = [int(archive[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        size, name_size = fields[6], fields[11]
        name = archive[at + 110 : at + 109 + name_size].decode()
        at = (at + 110 + name_size + 3) & ~3
        if name == "TRAILER!!!":
            return
        if name.startswith("bin/") and fields[1] & 0o170000 == 0o100000:
            path = folder / name.removeprefix("bin/")
            path.write_bytes(archive[at : at + size])
            path.chmod(0o755)
        at = (at + size + 3) & ~3


def _busybox() -> Path:
    """A static busybox, the one that the guest gets.

    Raises:
        subprocess.CalledProcessError: there is none, and it cannot be fetched.
    """
    tool = Path(__file__).parents[2] / "firmware" / "tools" / "busybox"
    return Path(subprocess.run([tool, "x86_64"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip())


def _command(case: Case, n: int, busybox: Path, programs: Path, files: Path) -> list[str]:
    words = case.words(n, str(files))
    return [str(busybox), *words] if case.busybox else [str(programs / words[0]), *words[1:]]


def measure_programs() -> Path:
    """Measures all programs on this machine: the second smallest of many runs, spread over some minutes."""
    times: dict[tuple[str, int], list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        files, programs = directory / "files", directory / "programs"
        files.mkdir()
        programs.mkdir()
        make_files(files)
        _unpack((image_directory("x86_64") / "initramfs.cpio").read_bytes(), programs)
        runner = build(Path(__file__).with_name("runner.c"), directory, "-D_GNU_SOURCE")
        busybox = _busybox()
        for number in range(_PASSES):
            print(f"pass {number + 1} of {_PASSES}", file=sys.stderr)
            for case in CASES:
                for n in (case.few, case.many):
                    command = [str(runner), str(_ROUNDS), *_command(case, n, busybox, programs, files)]
                    done = subprocess.run(command, capture_output=True, text=True, check=True)
                    times.setdefault((case.name, n), []).extend(map(float, done.stdout.split()))
    entries = []
    for case in CASES:
        few, many = sorted(times[case.name, case.few]), sorted(times[case.name, case.many])
        cycles = many[1] - few[1]
        entries.append([case.name, round(cycles), round((many[2] - many[0] + few[2] - few[0]) / cycles, 4), case.memory])
    tools = {"gcc": compiler(), "kernel": platform.release(), "busybox": _version(busybox)}
    header = {"unit": UNIT, "runs": _PASSES * _ROUNDS, "tools": tools, "columns": ["program", "cycles", "spread", "memory"]}
    return stored.save(stored.machine_name(), "programs", header, entries)


def _version(busybox: Path) -> str:
    return subprocess.run([busybox], capture_output=True, text=True).stdout.partition("(")[0].strip()


def programs_of(machine: str) -> list[Program]:
    """The measurements on a machine of the programs that still exist."""
    cases = {case.name: case for case in CASES}
    entries = stored.load(machine, "programs")["entries"]
    return [Program(cases[name], cycles, spread) for name, cycles, spread, _ in entries if name in cases]


@contextmanager
def machine_for(busybox: bool, **parameters: Any) -> Iterator[Machine]:
    """A machine that can run the programs.

    Args:
        busybox: whether the programs are applets of busybox, or else the guest's own.
        parameters: further arguments of the machine: `timing` and `cpu_model`.
    """
    with tempfile.TemporaryDirectory() as name:
        make_files(Path(name))
        userland = f"busybox={_busybox()}" if busybox else None
        shares = [f"{name}:{_GUEST_FOLDER}"]
        with Machine(arch="x86_64", cpus=1, seed=0, shares=shares, userland=userland, **parameters) as machine:
            yield machine


def model_cycles(machine: Machine, case: Case) -> int:
    """The cycles of a program on a machine; as in `measure_programs`, each run is preceded by an unmeasured one.

    Raises:
        RuntimeError: the program fails.
    """
    few, many = (_cycles(machine, case.words(n, _GUEST_FOLDER)) for n in (case.few, case.many))
    return many - few


def _cycles(machine: Machine, words: Sequence[str]) -> int:
    line = f"{shlex.join(words)} > /dev/null"
    before = 0
    for _ in range(2):
        before = machine.board.cpus[0].cycles
        done = machine.run(line)
        if done.status:
            raise RuntimeError(f"{line}: {done.output.decode(errors='replace')}")
    return machine.board.cpus[0].cycles - before
