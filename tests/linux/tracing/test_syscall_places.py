# SPDX-License-Identifier: GPL-2.0-only
"""Where system calls come by, and how the host looks if a kernel's code is not as expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.linux.machine import LinuxMachine
from emu.linux.tracing import x86_64_syscalls
from tests.linux.tracing.test_syscalls import both

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")


def test_one_kind_of_places_is_enough(
    real_kernel: Path, kept_machines: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All calls are told where their numbers are compared, if nothing is found before that."""
    monkeypatch.setattr(x86_64_syscalls, "_WORK", 0x12345)
    with LinuxMachine(kernel=real_kernel) as machine:
        machine.tracefs.write("buffer_size_kb", "50000")
        both(machine, ("raw_syscalls",), "cat /proc/version; ls /bin")


@pytest.mark.parametrize("name", ["_ENTERS", "LEAVES"])
def test_a_kernel_of_another_kind(
    real_kernel: Path, kept_machines: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    module = "emu.linux.tracing.x86_64" if name == "LEAVES" else x86_64_syscalls.__name__
    monkeypatch.setattr(f"{module}.{name}", "nosuch")
    with LinuxMachine(kernel=real_kernel) as machine:
        with pytest.raises(OSError, match="it is not known where this kernel's system calls begin and end"):
            machine.tracefs.write("set_event", "raw_syscalls:sys_enter")
        machine.tracefs.write("set_event", "raw_syscalls")
        assert len(machine.warnings) == 1 and machine.tracefs.read("set_event") == ""
