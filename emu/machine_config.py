# SPDX-License-Identifier: GPL-2.0-only
"""What a machine is made from: one value, which the command line, recordings and `Machine` share."""

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

# What must be the same for the same bytes in a trace. What else differs, the words of a command line tell.
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
    ramdisk: what /dev/ram0 holds: a file's copy, or a disk that the caller made; default: 16 MiB of zeroes. Closed
        with the machine.
    image: a kernel image instead of the one that comes with the package.
    shares: host folders that the guest finds mounted; a text is what Share.parse takes, `DIR[:GUESTDIR][:rw]`.
    userland: `busybox` or `busybox=PATH`: the programs on PATH, and /bin/sh, are a static busybox's of the host;
        default: the guest's own.
    host_tree: the guest finds the host's programs and libraries, in /usr, /lib, /lib64 and /bin, to be read.
    command_line: the kernel's parameters (firmware/README.md).
    patching: how call sites are changed (docs/races.md): one of the architecture's protocols, or a function of one's
        own; default: the architecture's first protocol.
    smi: interrupts by which the firmware takes time from the CPUs, unseen by the guest; a text is what Smi.parse takes,
        `PERIOD:LENGTH[:CPU]`; default: there are none.
    timing: what instructions cost: `static`, `pipeline` or `caches` (docs/timing.md); default: the architecture's.
    cpu_model: the CPU that `pipeline` and `caches` follow; default: the architecture's first.
    tracer_cost: the time that recording takes besides what the guest executes for it: `none`, or `linux`, as on a real
        machine (emu/ftrace/tracers/tracer_cost.py).
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
        """What a recording says of it, by name."""
        return {name: getattr(self, name) for name in _OF_RECORDINGS}
