# SPDX-License-Identifier: GPL-2.0-only
"""What a machine is made from: one value, used by the command line, by recordings and by `Machine`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from emu.architectures import DEFAULT_ARCHITECTURE

if TYPE_CHECKING:
    from emu.cpu.ramdisk import RamDisk
    from emu.cpu.smi import Smi
    from emu.ftrace.sites.patching import Protocol
    from emu.kernel.files.share import Share

__all__ = ["MachineConfig"]

# The fields that must be equal to get the same bytes in a trace. A recording's command line has the others.
_OF_RECORDINGS = ("arch", "cpus", "memory", "quantum", "seed", "timing", "cpu_model", "frequency")


@dataclass(frozen=True)
class MachineConfig:
    """Attributes:
    arch: name of the architecture.
    cpus: how many CPUs.
    seed: varies the interleaving of the CPUs; the same seed gives the same run, instruction for instruction.
    quantum: how many cycles a CPU may run ahead of the others.
    memory: bytes of RAM.
    frequency: of the CPUs, in Hz.
    ramdisk: what /dev/ram0 holds: a copy of a file, or a disk that the caller made. Default: 16 MiB of zeroes. It is
        closed with the machine.
    image: a kernel image to use instead of the package's.
    shares: host folders that are mounted in the guest; a text has the form that Share.parse takes, `DIR[:GUESTDIR][:rw]`.
    userland: `busybox` or `busybox=PATH`: the programs on PATH, and /bin/sh, are those of a static busybox of the host.
        Default: the guest's own programs.
    host_tree: the host's programs and libraries are mounted read-only in /usr, /lib, /lib64 and /bin.
    command_line: the kernel's parameters (firmware/README.md).
    patching: how call sites are changed (docs/races.md): one of the architecture's protocols, or the caller's own function.
        Default: the architecture's first protocol.
    smi: interrupts by which the firmware takes time from the CPUs, unseen by the guest; a text has the form that
        Smi.parse takes, `PERIOD:LENGTH[:CPU]`. Default: none.
    timing: the timing model, which says what instructions cost: `static`, `pipeline` or `caches` (docs/timing.md).
        Default: the architecture's.
    cpu_model: the CPU that `pipeline` and `caches` model. Default: the architecture's first.
    tracer_cost: the time that recording takes beyond the instructions that the guest executes for it: `none`, or `linux`,
        as on a real machine (emu/ftrace/tracers/tracer_cost.py).
    """

    arch: str = DEFAULT_ARCHITECTURE
    cpus: int = 2
    seed: int = 0
    quantum: int = 1000
    memory: int = 128 << 20
    frequency: int = 100_000_000
    ramdisk: RamDisk | Path | str | None = None
    image: Path | str | None = None
    shares: Sequence[Share | str] = ()
    userland: str | None = None
    host_tree: bool = False
    command_line: str = ""
    patching: str | Protocol | None = None
    smi: Smi | str | None = None
    timing: str | None = None
    cpu_model: str | None = None
    tracer_cost: str = "none"

    def recorded(self) -> dict[str, str | int]:
        """The fields that a recording has of the configuration, by name."""
        return {name: getattr(self, name) for name in _OF_RECORDINGS}
