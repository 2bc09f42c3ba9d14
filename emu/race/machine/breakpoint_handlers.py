# SPDX-License-Identifier: GPL-2.0-only
"""Other behaviours of the guest's breakpoint handler at a site, for `Driver.breakpoint_handler`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from emu.cpu.disassembly import disassemble
from emu.ftrace.arch import Breakpoint
from emu.ftrace.sites.patching_driver import BreakpointHandler
from emu.machine import Machine
from emu.race.arch import load
from emu.race.scenario.scenario import Handler

__all__ = ["breakpoint_handler"]


def breakpoint_handler(
    machine: Machine, handler: Handler, misses: Collection[int] = (), *, own: bool = False
) -> BreakpointHandler:
    """A handler of one kind, for a machine whose architecture has breakpoints.

    At an unknown site, the guest's own handler dies of the breakpoint.

    Args:
        machine: the machine; the handler is for its `patching.breakpoint_handler`.
        handler: the kind.
        misses: addresses of sites that the handler's search does not find.
        own: whether sites have a scenario's own code.
    """
    return _BreakpointHandler(machine, handler, frozenset(misses), own)


@dataclass(frozen=True)
class _BreakpointHandler:
    """Not a closure: snapshots would save the cells of closures one by one."""

    machine: Machine
    kind: Handler
    misses: frozenset[int]
    own: bool

    def __call__(self, registers: int, site: int, code: bytes | None) -> bool:
        if code is not None and site not in self.misses:
            return self._handle(registers, site, code)
        memory, trap = self.machine.kernel.memory, self._trap
        if self.kind is not Handler.RETRY or memory.read(site, len(trap.code)) == trap.code:
            return False
        trap.go_on_at(memory, registers, site)
        return True

    def _handle(self, registers: int, site: int, code: bytes) -> bool:
        """Handles a breakpoint at a known site."""
        if self.kind is Handler.SKIP:
            self._trap.go_on_at(self.machine.kernel.memory, registers, site + len(code))
            return True
        if self.own:
            return self.kind is not Handler.DIE and self._emulate(registers, site, code)
        return self.kind is not Handler.DIE and self.machine.patching.emulate(registers, site, code)

    def _emulate(self, registers: int, site: int, code: bytes) -> bool:
        """Does what the first instruction of a scenario's own code does; a jump on a condition does not go."""
        arch = self.machine.board.arch
        first, branch = disassemble(arch, code, site)[0].code, load(arch.name).branch
        found = branch(first) if branch else None
        if found is not None and found.size > 1:
            return self.machine.patching.emulate(registers, site, first)
        goes = found is not None and load(arch.name).leaves(first)
        self._trap.go_on_at(self.machine.kernel.memory, registers, found.goes_to(site) if found and goes else site + len(code))
        return True

    @property
    def _trap(self) -> Breakpoint:
        trap = self.machine.ftrace.arch.breakpoint
        assert trap is not None
        return trap
