# SPDX-License-Identifier: GPL-2.0-only
"""What the guest's breakpoint handler does at a site, other than what it really does: `Driver.breakpoint_handler`."""

from __future__ import annotations

from collections.abc import Collection

from emu.ftrace.patching_driver import BreakpointHandler
from emu.machine import Machine
from emu.race.scenario import Handler

__all__ = ["breakpoint_handler"]


def breakpoint_handler(machine: Machine, handler: Handler, misses: Collection[int] = ()) -> BreakpointHandler:
    """A handler of one kind, for a machine whose architecture has breakpoints.

    Where it does not know a site, the guest's own handler dies of the breakpoint.

    Args:
        machine: whose `patching.breakpoint_handler` it is to be.
        handler: its kind.
        misses: addresses of sites that its search does not find.
    """
    memory, patching = machine.kernel.memory, machine.patching
    trap = machine.ftrace.arch.breakpoint
    assert trap is not None

    def emulate(registers: int, site: int, code: bytes) -> bool:
        return patching.emulate(registers, site, code)

    def skip(registers: int, site: int, code: bytes) -> bool:
        trap.go_on_at(memory, registers, site + len(code))
        return True

    def die(registers: int, site: int, code: bytes) -> bool:
        return False

    known = {Handler.EMULATE: emulate, Handler.RETRY: emulate, Handler.SKIP: skip, Handler.DIE: die}[handler]

    def handle(registers: int, site: int, code: bytes | None) -> bool:
        if code is not None and site not in misses:
            return known(registers, site, code)
        if handler is not Handler.RETRY or memory.read(site, len(trap.code)) == trap.code:
            return False
        trap.go_on_at(memory, registers, site)
        return True

    return handle
