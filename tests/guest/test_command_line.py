# SPDX-License-Identifier: GPL-2.0-only
"""Words of the kernel's command line that are not kernel parameters."""

from __future__ import annotations

import pytest

from emu.machine import GuestPanic, Machine


def test_words_that_the_kernel_does_not_know_are_inits(arch: str) -> None:
    words = "A=1 nmi_watchdog=0 nosoftlockup word PATH=/tmp:/bin module.parameter=1 A=2 B="
    with Machine(arch=arch, command_line=words) as machine:
        assert machine.run("env").output == b"A=2\nB=\nHOME=/\nPATH=/tmp:/bin\n"
        assert machine.run("tr '\\0' ' ' < /proc/1/cmdline").output == b"/init word "


def test_too_many_words_for_init_are_a_panic() -> None:
    with pytest.raises(GuestPanic, match="Too many boot env vars at `V31=0'"):
        Machine(command_line=" ".join(f"V{number}=0" for number in range(40)))
