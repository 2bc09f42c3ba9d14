# SPDX-License-Identifier: GPL-2.0-only
"""A scenario: which code is changed, by which protocol, while which CPUs do what; and what must never happen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from emu.architectures import DEFAULT_ARCHITECTURE
from emu.ftrace import arch as ftrace_arch
from emu.ftrace.arch import FtraceArch
from emu.ftrace.sites.own_protocol import steps_of
from emu.ftrace.sites.patching import Patch
from emu.race import arch as race_arch
from emu.race.arch import RaceArch
from emu.race.scenario.change import Change
from emu.race.scenario.protocol_steps import STEP_KINDS, LabStep, checked, undone

__all__ = ["LINE", "MOST_CPUS", "Expectation", "Handler", "LabProtocol", "Scenario", "Wrong"]

LabProtocol = Callable[[Sequence[Patch], bytes], Sequence[LabStep]]

LINE = 64  # bytes of a cache line
MOST_CPUS = 8  # of a scenario that is read or asked for


class Wrong(StrEnum):
    """What must never happen, by the word that scenarios have for it."""

    TORN = "torn"  # what is executed is neither the old nor the new code
    HALF = "half"  # a part of the old code and then a part of the new
    LATE = "late"  # the replaced code, after the protocol is over
    BREAKPOINT = "unknown-breakpoint"  # a breakpoint that nobody knows: the kernel dies
    NESTED = "nested-breakpoint"  # a breakpoint in the breakpoint handler
    SKIPPED = "skipped"  # neither the old nor the new function is called
    FREED = "freed"  # a trampoline is freed while a task stands in it, or called after that
    STUCK = "stuck"  # the protocol does not end


class Handler(StrEnum):
    """What the breakpoint handler does at a site that it knows."""

    EMULATE = "emulate"  # what the new instruction does (Linux since 2019)
    SKIP = "skip"  # nothing: it goes on behind the instruction (Linux before)
    RETRY = "retry"  # also at a site that it does not know: again, if the breakpoint has gone from memory
    DIE = "die"  # it knows none


@dataclass(frozen=True)
class Expectation:
    """What a scenario expects under one fetch model: safe (`unsafe` is False), something wrong, or one certain thing."""

    unsafe: bool
    wrong: Wrong | None = None

    def met(self, safe: bool, wrong: Wrong | None) -> bool:
        return safe != self.unsafe and (self.wrong is None or self.wrong is wrong)


@dataclass(frozen=True)
class Scenario:
    """Sites that are changed by a protocol while CPUs come to them.

    Attributes:
        name: of the scenario.
        about: one sentence for readers.
        arch: one of emu.architectures.ARCHITECTURES.
        places: of each site: its offset in a line of 64 bytes.
        change: what each site holds before and after.
        protocol: makes the steps, as those of emu.ftrace.sites.patching do; it may return the steps of `protocol_steps`, too.
        protocol_text: how the protocol was written, for schedules and verdicts: `breakpoint without 4`.
        fails_at: the write (counted from 1) whose place does not hold what is expected, so that the driver undoes all;
            0: none.
        handler: what the breakpoint handler does.
        misses: sites (from 1) that the handler's search does not find.
        handler_sites: sites that the handler itself comes to.
        nmi_sites: sites that NMI handlers come to, at any moment.
        deaf: synchronisations (from 1) that do not reach the fetch: a broken CPU, or a broken emulator.
        user: CPUs are in user mode at first, and owe a synchronisation until they enter the kernel.
        entry_sites: sites that the kernel's entry comes to before it synchronises.
        visits: how often each CPU comes to a site, and how often an NMI comes to each; 0: any number (on the machine: 1).
        cpus: how many.
        fetch: names of the fetch models; empty: all of the architecture.
        never: what counts as wrong.
        expect: by name of the fetch model.
    """

    name: str
    protocol: LabProtocol
    protocol_text: str
    about: str = ""
    arch: str = DEFAULT_ARCHITECTURE
    places: tuple[int, ...] = (0,)
    change: Change = Change.NOP_TO_CALL
    fails_at: int = 0
    handler: Handler = Handler.EMULATE
    misses: frozenset[int] = frozenset()
    handler_sites: frozenset[int] = frozenset()
    nmi_sites: frozenset[int] = frozenset()
    deaf: frozenset[int] = frozenset()
    user: bool = False
    entry_sites: frozenset[int] = frozenset()
    visits: int = 0
    cpus: int = 2
    fetch: tuple[str, ...] = ()
    never: frozenset[Wrong] = frozenset(Wrong)
    expect: Mapping[str, Expectation] = field(default_factory=dict)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the fetch models that it is for."""
        return self.fetch or tuple(model.name for model in self.race_arch.fetch_models)

    @property
    def ftrace_arch(self) -> FtraceArch:
        """Instructions and the breakpoint of the architecture."""
        return ftrace_arch.load(self.arch)

    @property
    def race_arch(self) -> RaceArch:
        """What the lab knows of the architecture."""
        return race_arch.load(self.arch)

    @property
    def breakpoint(self) -> bytes:
        """The code of the architecture's breakpoint; b"": it has none."""
        trap = self.ftrace_arch.breakpoint
        return trap.code if trap else b""

    def expected(self, fetch: str) -> Expectation | None:
        """What it expects under a fetch model; None: nothing."""
        return self.expect.get(fetch)

    def patches(self, sites: Sequence[int], first: int, second: int) -> list[Patch]:
        """What is changed at sites at these addresses, whose calls go to `first`, or from `first` to `second`."""
        arch = self.ftrace_arch
        nop = arch.nop
        return [
            Patch(
                at,
                {Change.NOP_TO_CALL: nop, Change.NOPS_TO_CALL: self.race_arch.nops}.get(self.change) or arch.call(at, first),
                {Change.CALL_TO_NOP: nop, Change.CALL_TO_CALL: arch.call(at, second)}.get(self.change) or arch.call(at, first),
            )
            for at in sites
        ]

    def steps(self, patches: Sequence[Patch]) -> list[LabStep]:
        """What is done to make the patches, each write expecting what it will find; the way back if one is to fail.

        Raises:
            ValueError: the protocol does what it must not. The text says what.
        """
        steps = checked(steps_of(self.protocol, patches, self.breakpoint, STEP_KINDS), patches)
        return undone(steps, patches, self.breakpoint, self.fails_at) if self.fails_at else steps
