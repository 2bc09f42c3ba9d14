# SPDX-License-Identifier: GPL-2.0-only
"""The parameters of `Machine`: its configuration, and the functions that it calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

from emu.cpu.timing import TimingNames
from emu.machine_config import MachineConfig

__all__ = ["MachineParameters"]


@dataclass(frozen=True)
class MachineParameters(MachineConfig):
    """Attributes: those of MachineConfig, and
    console: called with what the guest writes, as the guest writes it.
    warn: called with warnings of the guest kernel and of tracing. Default: the warnings are kept in `warnings`.
    boot_limit: nanoseconds of virtual time that the guest may take to boot.
    boot_host_limit: seconds of the host's time that the boot may take.
    booting: called now and then while the guest boots, with the number of CPUs that are up.
    """

    console: Callable[[bytes], None] | None = None
    warn: Callable[[str], None] | None = None
    boot_limit: int | None = None
    boot_host_limit: float | None = None
    booting: Callable[[int], None] = lambda cpus: None

    def config(self, names: TimingNames) -> MachineConfig:
        """The configuration, with the timing model and the CPU model that the board uses."""
        values = {field.name: getattr(self, field.name) for field in fields(MachineConfig)}
        return replace(MachineConfig(**values), timing=names.timing, cpu_model=names.cpu_model)
