# SPDX-License-Identifier: GPL-2.0-only
"""Sessions in the style of the ftrace documents: lines typed into the guest's shell."""

from __future__ import annotations

from emu.machine import Machine

__all__ = ["session"]


def session(machine: Machine, script: str) -> str:
    """The output of the shell while it runs the script in the tracing directory."""
    done = machine.run("sh", stdin=f"cd /sys/kernel/tracing\n{script}".encode())
    assert done.status == 0, done.output.decode()
    return done.output.decode()
