# SPDX-License-Identifier: GPL-2.0-only
"""The driver: performs the steps of a patching protocol while the CPUs keep running."""

from __future__ import annotations

import errno
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from emu.cpu.cpu import Cpu
from emu.ftrace.arch import FtraceArch
from emu.ftrace.errors import TraceError
from emu.ftrace.sites.own_protocol import steps_of
from emu.ftrace.sites.patching import PROTOCOLS, Park, Patch, Protocol, Release, Step, Synchronise, Write, undo
from emu.kernel.kernel import Kernel
from emu.kernel.upcalls import Upcall

__all__ = ["BadProtocol", "BreakpointHandler", "Driver"]

# Moves a CPU past a breakpoint. Returns False if it cannot: the guest then dies of the breakpoint. The arguments are the saved
# struct pt_regs, the breakpoint's address, and the instruction that will be there (None: the protocol does not patch that place).
BreakpointHandler: TypeAlias = Callable[[int, int, bytes | None], bool]

# Cycles that CPUs may take to answer a step. All steps of a shipped protocol together take up to 31,000, on 128 CPUs.
_LONGEST = 5_000_000


class BadProtocol(TraceError):
    """A user's own protocol returned steps that cannot be performed. None was performed."""

    def __init__(self, protocol: str | Protocol, why: str) -> None:
        super().__init__(errno.EINVAL, f"the patching protocol {_name(protocol)} {why}")


class Driver:
    """Performs the steps of one protocol at a time, and tracks which steps are left and which CPUs have not answered yet.

    If a place does not hold the expected bytes, the driver undoes the writes made so far (`patching.undo`) and calls `failed`
    with a sentence (what Linux's ftrace_bug() reports).

    A protocol ends when all its steps are done and no CPU is parked. What a wrong protocol leaves behind stays.

    Args:
        kernel: with its image loaded.
        arch: the call sites of its architecture.
        failed: called with a sentence when a place did not hold the expected bytes.
        warn: called with a sentence when a protocol has ended without making all its patches.
        silent: nanoseconds, beyond the usual limit, for which a CPU may legitimately take no interrupts.

    Attributes:
        awaited: the CPUs that have not answered the first of `steps`.
        breakpoints_hit: how many times a CPU hit the breakpoint at a place that was being patched.
        deaf_cpus: for the study of races: CPUs that answer without flushing, and keep executing old translations.
        breakpoint_handler: for the study of races: what to do at a breakpoint; `emulate` by default.
    """

    def __init__(
        self,
        kernel: Kernel,
        arch: FtraceArch,
        failed: Callable[[str], None],
        warn: Callable[[str], None],
        silent: Callable[[], int] = lambda: 0,
    ) -> None:
        self._kernel = kernel
        self._silent = silent
        self._arch = arch
        self._failed = failed
        self._warn = warn
        self._breakpoint_code = arch.breakpoint.code if arch.breakpoint else b""
        self._protocol: str | Protocol = arch.protocols[0]
        self._performed: str | Protocol = self._protocol  # the one in use
        self._sync_core = kernel.image.symbol("upcall_sync_core")
        self._stop_machine = kernel.image.symbol("upcall_stop_machine")
        self._park_area = kernel.image.symbol("__ftrace_shared")
        self._text = range(kernel.image.symbol("_text"), kernel.image.symbol("_etext") + 1)
        self._begun = False  # whether a protocol has started
        self._held = False
        self._under_way: Step | None = None  # the step that CPUs have yet to answer
        self._to_come: deque[Step] = deque()
        self._asked = 0  # when that step started, in cycles
        self._alive = 0  # when a CPU was last known to be alive although it takes no interrupts
        self._parked = False
        self._undoing = False
        self._journal: list[Write] = []  # the writes made so far
        self._patches: dict[int, Patch] = {}
        self._places = np.zeros((0, 2), np.uint64)
        self._finished: Callable[[], None] = lambda: None
        self.awaited: set[int] = set()
        self.breakpoints_hit = 0
        self.deaf_cpus: set[int] = set()
        self.breakpoint_handler: BreakpointHandler = self.emulate

    def __repr__(self) -> str:
        return (
            f"<patching by {_name(self._protocol)}: {len(self.steps)} steps left, awaited {sorted(self.awaited)}, "
            f"{self.breakpoints_hit} breakpoints hit, deaf {sorted(self.deaf_cpus)}>"
        )

    @property
    def protocol(self) -> str | Protocol:
        """How sites are patched from the next change on: the name of one of the architecture's protocols, or a function.

        Raises:
            ValueError: when it is set: the architecture has no protocol with that name.
            TypeError: when it is set: it is neither a name nor a function.
        """
        return self._protocol

    @protocol.setter
    def protocol(self, protocol: str | Protocol) -> None:
        if isinstance(protocol, str):
            if protocol not in self._arch.protocols:
                known = ", ".join(self._arch.protocols)
                raise ValueError(f"{self._arch.cpu.name} has no patching protocol '{protocol}' (it has: {known})")
        elif not callable(protocol):
            raise TypeError(f"{protocol!r} is no patching protocol: neither a name nor a function")
        self._protocol = protocol

    @property
    def held(self) -> bool:
        """For the study of races: whether only `step` performs steps, also when undoing.

        If it is set to False during a protocol, the protocol continues by itself.
        """
        return self._held

    @held.setter
    def held(self, held: bool) -> None:
        self._held = held
        self._advance()

    @property
    def busy(self) -> bool:
        """Whether a protocol is under way."""
        return self._begun

    @property
    def steps(self) -> list[Step]:
        """The remaining steps; the first one may be under way."""
        return [*([self._under_way] if self.awaited and self._under_way else ()), *self._to_come]

    @property
    def overdue(self) -> bool:
        """Whether CPUs have not answered a step for so long that they never will."""
        late = self._kernel.board.now - max(self._asked, self._alive) - _LONGEST if self.awaited else 0
        return late > 0 and late > self._kernel.board.cycles(self._silent())

    def alive(self) -> None:
        """Notes that a CPU that may be awaited is alive, which restarts its time limit."""
        self._alive = self._kernel.board.now

    def waits_for(self, cpu: int) -> str | None:
        """What the current protocol awaits from a CPU; None if nothing."""
        if cpu not in self.awaited:
            return None
        step = self._under_way
        return "is parked, and no Release follows" if step is None else f"has not answered {type(step).__name__}"

    def is_changing(self, address: int) -> bool:
        """Whether the current protocol patches the instruction at an address."""
        return address in self._patches

    def start(self, patches: Sequence[Patch], finished: Callable[[], None]) -> None:
        """Starts the protocol. `finished` is called when it has ended. No other protocol may be under way.

        Raises:
            BadProtocol: the protocol's steps cannot be performed.
        """
        assert not self.busy
        self._to_come = deque(self._plan(patches))
        self._performed = self._protocol
        self._undoing = False
        self._journal = []
        self._patches = {patch.address: patch for patch in patches}
        starts = [self._kernel.memory.physical(p.address) for p in patches]
        places = [(start, start + len(p.old)) for start, p in zip(starts, patches, strict=True)]
        self._places = np.array(places, np.uint64).reshape(len(patches), 2)
        self._finished = finished
        self._begun = True
        self._advance()

    def on_breakpoint(self, cpu: Cpu, registers: int) -> bool:
        """Handles a breakpoint at a place that is being patched. Returns False at any other place. `registers`: the saved
        pt_regs."""
        breakpoint = self._arch.breakpoint
        if breakpoint is None:
            return False
        site = breakpoint.site(self._kernel.memory, registers)
        patch = self._patches.get(site)
        code = None if patch is None else patch.old if self._undoing else patch.new
        handled = self.breakpoint_handler(registers, site, code)
        self.breakpoints_hit += handled
        return handled

    def emulate(self, registers: int, site: int, code: bytes | None) -> bool:
        """The usual breakpoint handler: has the effect of the instruction that will be there."""
        if code is None or self._arch.breakpoint is None:
            return False
        self._arch.breakpoint.emulate(self._kernel.memory, registers, site, code)
        return True

    # Checking the steps before the first one is performed

    def _plan(self, patches: Sequence[Patch]) -> list[Step]:
        """The steps that the protocol returns for these patches. All of them can be performed."""
        if isinstance(self._protocol, str):
            return PROTOCOLS[self._protocol](patches, self._breakpoint_code)
        try:
            steps = steps_of(self._protocol, patches, self._breakpoint_code)
        except ValueError as error:
            raise BadProtocol(self._protocol, str(error)) from error.__cause__
        for step in steps:
            if isinstance(step, Write):
                self._check(step)
        return steps

    def _check(self, step: Write) -> None:
        end = step.address + len(step.new)
        if not (step.address in self._text and end in self._text):
            symbols = self._kernel.symbols
            if not all(symbols.is_code(address) for address in (step.address, max(end - 1, step.address))):
                raise BadProtocol(self._protocol, f"writes to {step.address:#x}, which is not in the kernel's text")

    # Performing the steps

    def step(self) -> None:
        """Performs the next step of a held protocol, or ends the protocol if no step is left. No CPU may be awaited."""
        assert self._begun and not self.awaited
        self._under_way = None
        if not self._to_come:
            if self._parked:
                self._await_all()  # for ever
            else:
                self._end()
            return
        step = self._to_come.popleft()
        if isinstance(step, Write):
            self._write(step)
        else:
            self._under_way = step
            self._await_all()
            self._ask(step)

    def _advance(self) -> None:
        """Performs steps until one needs answers from CPUs, or none is left."""
        while self._begun and not (self.awaited or self._held):
            self.step()

    def _await_all(self) -> None:
        self.awaited = set(self._kernel.hot_areas)
        self._asked = self._kernel.board.now

    def _ask(self, step: Step) -> None:
        """Makes every CPU take part in a step."""
        match step:
            case Synchronise():
                self._post(self._sync_core, 0, on_begin=self._fences)
            case Park():
                for name in ("arrived", "released"):
                    self._kernel.memory.set_member(self._park_area, f"upcall_stop.{name}", 0)
                self._parked = True
                self._post(self._stop_machine, self._park_area, on_begin=self._waits)
            case Release():
                self._parked = False
                for index in self.awaited:
                    self._fences(self._kernel.board.cpus[index])
                self._kernel.memory.set_member(self._park_area, "upcall_stop.released", 1)

    def _end(self) -> None:
        """Ends the protocol."""
        if not (self._undoing or isinstance(self._performed, str)):
            self._look_for_undone(self._performed)
        self._patches = {}
        self._begun = False
        self._finished()

    def _look_for_undone(self, protocol: Protocol) -> None:
        """Warns of patches that a user's own protocol did not make."""
        memory = self._kernel.memory
        undone = [patch for patch in self._patches.values() if memory.read(patch.address, len(patch.new)) != patch.new]
        if undone:
            first = undone[0]
            self._warn(
                f"the patching protocol {_name(protocol)} is over, and {len(undone)} of {len(self._patches)} places do not "
                f"hold their new instruction; {self._kernel.symbols.describe(first.address)} holds "
                f"{memory.read(first.address, len(first.new)).hex(' ')}"
            )

    def _write(self, step: Write) -> None:
        place = self._kernel.memory.physical(step.address)
        board = self._kernel.board
        found = bytes(board.ram[place : place + len(step.expected)])
        if found == step.expected:
            board.write_code(place, step.new)
            self._journal.append(step)
            return
        if self._undoing:
            return  # another writer has changed the bytes that were to be undone
        self._undoing = True
        self._patches = {patch.address: _as_found(patch, step.address, found) for patch in self._patches.values()}
        self._to_come = deque(undo(self._journal, list(self._patches.values()), self._breakpoint_code, parked=self._parked))
        self._failed(
            f"ftrace failed to modify {step.address:#x}: expected {step.expected.hex(' ')}, found {found.hex(' ')}"
        )

    def _post(self, function: int, argument: int, on_begin: Callable[[Cpu], None]) -> None:
        board = self._kernel.board
        for index in sorted(self.awaited):
            self._kernel.upcalls.post(board.cpus[index], Upcall(function, argument, on_begin, self._answered), self._asked)

    def _forget(self, cpu: Cpu) -> None:
        if cpu.index not in self.deaf_cpus:
            cpu.fetch_anew(self._places)

    def _fences(self, cpu: Cpu) -> None:
        """A CPU is about to synchronise. Where code is fenced, an instruction of the guest does it."""
        cpu.record.deaf = cpu.index in self.deaf_cpus
        if not self._kernel.board.record.fenced_code:
            self._forget(cpu)

    def _waits(self, cpu: Cpu) -> None:
        """A CPU enters the function in which it is parked. When the last CPU has entered it, the writes start."""
        self._answered(cpu, 0)

    def _answered(self, cpu: Cpu, result: int) -> None:
        """A CPU has answered the current step. A late answer, or an answer to no step, is ignored."""
        cpu.record.deaf = False
        if cpu.index in self.awaited:
            self.awaited.discard(cpu.index)
            self._advance()


def _as_found(patch: Patch, address: int, found: bytes) -> Patch:
    """A patch to undo, with the bytes that are really there: a CPU at a breakpoint there executes those."""
    at = address - patch.address
    if not 0 <= at < len(patch.old):
        return patch
    return replace(patch, old=(patch.old[:at] + found + patch.old[at + len(found) :])[: len(patch.old)])


def _name(protocol: str | Protocol) -> str:
    return protocol if isinstance(protocol, str) else getattr(protocol, "__name__", repr(protocol))
