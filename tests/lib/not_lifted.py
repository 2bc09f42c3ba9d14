# SPDX-License-Identifier: GPL-2.0-only
"""Tries to lift all tracepoints of a kernel that have events, and lists those that are refused.

`python -m tests.lib.not_lifted` makes the lists of tests/linux/data for the kernels on this machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from emu.ftrace.native.trace_records import TraceArray
from emu.linux.find import kernels
from emu.linux.image import read_kernel
from emu.linux.kernel_btf import kernel_btf
from emu.linux.lift.compiled import Compiler
from emu.linux.lift.kept_code import KeptCode
from emu.linux.lift.lifting import Lifting
from emu.linux.lift.reasons import CannotLift
from emu.linux.machine import LinuxMachine
from emu.linux.memory import LinuxMemory
from emu.linux.symbols import Symbols
from emu.linux.tracing.events.tables import EventTables

__all__ = ["DATA", "NotLifted", "list_of"]

DATA = Path(__file__).parents[1] / "linux" / "data"


@dataclass
class NotLifted:
    """What cannot be lifted of a kernel.

    Attributes:
        tracepoints: how many tracepoints have events, and are in the kernel's code.
        refused: by the first event of each that cannot be lifted, why.
        in_part: by the name of a tracepoint that is not seen everywhere, why.
    """

    tracepoints: int = 0
    refused: dict[str, str] = field(default_factory=dict)
    in_part: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """The list, a line for each."""
        lines = [f"{self.tracepoints} tracepoints with events, {len(self.refused)} refused, {len(self.in_part)} seen in part"]
        lines += [f"refused {name}: its code {why}" for name, why in sorted(self.refused.items())]
        lines += [f"in part {name}: its code {why}" for name, why in sorted(self.in_part.items())]
        return "\n".join(lines) + "\n"


def list_of(path: Path) -> NotLifted:
    """Tries to lift the tracepoints of a kernel that has booted. Nothing is compiled."""
    kernel = read_kernel(path)
    symbols, btf = Symbols(kernel), kernel_btf(kernel)
    with LinuxMachine(kernel=path, warn=lambda text: None) as machine, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compiler, "compile", lambda self, modules: b"nothing")
        patch.setattr(Compiler, "load", lambda self, code, names: [0] * len(names))
        patch.setattr(KeptCode, "get", lambda self, what: None)
        patch.setattr(KeptCode, "put", lambda self, what, made: None)
        memory = LinuxMemory(machine.board.ram, symbols)
        top = TraceArray.allocate()
        top.ram = np.frombuffer(machine.board.ram, np.uint8).ctypes.data
        records = SimpleNamespace(top=top)
        lifting = Lifting(kernel, memory, symbols, btf, records)  # type: ignore[arg-type]  # only the top array is asked for
        events: dict[int, list[tuple[str, int]]] = {}
        for event in EventTables(kernel, symbols, btf, memory, has_booted=True).of_kernel():
            if event.tracepoint:
                events.setdefault(event.tracepoint, []).append((f"{event.system}:{event.name}", event.probe))
        found = NotLifted()
        for tracepoint, declared in events.items():
            name = memory.string(memory.word(tracepoint + btf.offset("tracepoint.name")))
            if labels := lifting.labels(tracepoint, name):
                found.tracepoints += 1
                _try(lifting, tracepoint, name, labels, declared, found)
    return found


def _try(
    lifting: Lifting, tracepoint: int, name: str, labels: Sequence[int], events: list[tuple[str, int]], found: NotLifted
) -> None:
    try:
        for _, probe in events:
            lifting.probe(probe)
    except CannotLift as error:
        found.refused[events[0][0]] = str(error)
        return
    lifted, failure = lifting.sites(tracepoint, name, labels)
    if failure is not None:
        if lifted:
            found.in_part[name] = str(failure)
        else:
            found.refused[events[0][0]] = str(failure)


def main() -> None:
    DATA.mkdir(exist_ok=True)
    for kernel in kernels():
        found = list_of(kernel.path)
        (DATA / f"not_lifted-{kernel.version}.txt").write_text(found.text())
        print(kernel.version, found.text().splitlines()[0])


if __name__ == "__main__":
    main()
