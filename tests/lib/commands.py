# SPDX-License-Identifier: GPL-2.0-only
"""Commands in a guest."""

from __future__ import annotations

from emu.machine import Machine

__all__ = ["TRACING", "run", "shell"]

TRACING = "/sys/kernel/tracing"


def run(machine: Machine, command: str, status: int = 0) -> str:
    """The output of a command, which must end with `status`."""
    done = machine.run(command)
    assert done.status == status, done.output
    return done.output.decode()


def shell(machine: Machine, script: str) -> str:
    """The output of a script that runs in the tracing directory."""
    return machine.run(f"cd {TRACING}; {script}").output.decode()
