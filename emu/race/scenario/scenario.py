# SPDX-License-Identifier: GPL-2.0-only
"""A scenario: which code is changed, by which protocol, while CPUs do what; and what must never happen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from emu.architectures import DEFAULT_ARCHITECTURE
from emu.cpu.disassembly import disassemble
from emu.ftrace import arch as ftrace_arch
from emu.ftrace.arch import FtraceArch
from emu.ftrace.sites.own_protocol import steps_of
from emu.ftrace.sites.patching import Patch
from emu.race import arch as race_arch
from emu.race.arch import RaceArch
from emu.race.scenario.change import Change
from emu.race.scenario.fetch_model import FetchModel
from emu.race.scenario.protocol_steps import STEP_KINDS, LabStep, checked, undone

__all__ = [
    "LINE", "MOST_CPUS", "PAGE", "WHOLE", "Deferral", "Expectation", "Handler", "Hotplug", "LabProtocol", "OtherPatcher",
    "Scenario", "Stack", "Wrong",
]  # fmt: skip

LabProtocol = Callable[[Sequence[Patch], bytes], Sequence[LabStep]]

LINE = 64  # bytes of a cache line
PAGE = 4096  # bytes of a page
WHOLE = 1 << 20  # bytes: a store that is seen whole wherever it is
MOST_CPUS = 8  # of a scenario that is read or requested


class Wrong(StrEnum):
    """What must never happen, by the words of scenarios."""

    TORN = "torn"  # the executed bytes are neither the old nor the new code
    HALF = "half"  # a part of the old code and then a part of the new
    LATE = "late"  # the replaced code, after the protocol has ended
    BREAKPOINT = "unknown-breakpoint"  # a breakpoint that the handler does not know: the kernel dies
    NESTED = "nested-breakpoint"  # a breakpoint in the breakpoint handler
    SKIPPED = "skipped"  # neither the old nor the new function is called
    FREED = "freed"  # a trampoline is freed while a task is in it, or called after that
    OVERWRITTEN = "overwritten"  # a handler begins on the stack on which another one stands
    STUCK = "stuck"  # the protocol does not end
    STARVED = "starved"  # with `live`: a CPU or a patcher does not get on, although all have their turn again and again


class Handler(StrEnum):
    """What the breakpoint handler does at a known site."""

    EMULATE = "emulate"  # emulates the new instruction (Linux since 2019)
    SKIP = "skip"  # continues after the instruction (Linux before that)
    RETRY = "retry"  # also at an unknown site: retries, if the breakpoint is gone from memory
    DIE = "die"  # knows no site
    WAIT = "wait"  # at any site: waits until the breakpoint is gone from memory, and retries


class Deferral(StrEnum):
    """What the patcher looks at to leave a CPU alone until it enters the kernel."""

    WATCHING = "watching"  # whether the kernel watches it: not in user mode, nor in the entry before its synchronisation
    MODE = "mode"  # whether it is in user mode
    TASK = "task"  # whether its task is, even while the CPU is in an NMI


class Hotplug(StrEnum):
    """When CPUs go offline and come back."""

    NONE = "none"
    FREE = "free"  # at any time
    LOCKED = "locked"  # not while the protocol runs, as with cpus_read_lock()


class Stack(StrEnum):
    """Handlers with one stack for each CPU, at whose top they begin (an interrupt stack table)."""

    NMI = "nmi"
    BREAKPOINT = "breakpoint"


@dataclass(frozen=True)
class Expectation:
    """A scenario's expectation under one fetch model: safe (`unsafe` is False), unsafe, or unsafe in a specific way.

    `events` is the number of events of a shortest schedule on the model; 0: any.
    """

    unsafe: bool
    wrong: Wrong | None = None
    events: int = 0

    def met(self, safe: bool, wrong: Wrong | None, events: int = 0) -> bool:
        """Whether a result is as expected. Of the machine's, `events` is 0: it is not compared."""
        as_expected = self.wrong is None or self.wrong is wrong
        return safe != self.unsafe and as_expected and events in (0, self.events or events)


@dataclass(frozen=True)
class OtherPatcher:
    """Another one who changes the same sites at the same time.

    Attributes:
        protocol: makes its steps, as `Scenario.protocol`.
        text: the protocol as it was written.
        preempts: whether the others stand still from when it begins until it has ended.
    """

    protocol: LabProtocol
    text: str
    preempts: bool = False


@dataclass(frozen=True)
class Scenario:
    """Sites that are changed by a protocol while CPUs execute them.

    Attributes:
        name: the scenario's name.
        about: one sentence for readers.
        arch: one of emu.architectures.ARCHITECTURES.
        places: for each site, its offset in a page that begins a line of 64 bytes.
        change: the instructions at each site before and after.
        codes: other code before and after, of equal lengths, instead of `change`.
        right: code that may be executed in between, from its first to its last instruction, and not after the protocol.
        calls: which of `codes` call a function: "old", "new" or both.
        protocol: makes the steps, like those of emu.ftrace.sites.patching; it may also return the steps of `protocol_steps`.
        protocol_text: the protocol as it was written, for schedules and verdicts: `breakpoint without 4`.
        others: other patchers, each of whose steps come at any moment between those of the rest.
        fails_at: the write (from 1) whose place does not hold the expected bytes, so that the driver undoes everything;
            0: none.
        handler: what the breakpoint handler does.
        misses: sites (from 1) that the handler's search does not find.
        handler_sites: sites that the handler itself executes.
        nmi_sites: sites that NMI handlers execute, at any moment.
        irq_sites: sites that handlers of other interrupts execute.
        idle_sites: sites that the idle task executes.
        into: offsets in a site to which a jump elsewhere goes.
        nests: whether the IRET from a breakpoint's handler unmasks NMIs, so that an NMI comes in the handler of another.
        ist: the handlers with one stack for each CPU.
        hotplug: when CPUs go offline and come back.
        deaf: synchronisations and releases (from 1) that do not affect fetches: a broken CPU, or a broken emulator.
        user: whether CPUs start in user mode, where they owe a synchronisation until they enter the kernel.
        deferral: with `user`: what the patcher looks at.
        entry_sites: sites that the kernel's entry code executes before it synchronises.
        visits: how many times each CPU visits a site, and an NMI or interrupt does; 0: any number (on the machine: 1).
        stores: a store is seen whole in each aligned piece of so many bytes; 0: of as many as the fetch model says.
        cpus: the number of CPUs.
        fetch: the names of the fetch models; empty: all of the architecture's.
        never: what counts as wrong.
        live: whether it is also wrong if a CPU or a patcher does not get on (Wrong.STARVED).
        expect: the expectations, by fetch model.
    """

    name: str
    protocol: LabProtocol
    protocol_text: str
    about: str = ""
    arch: str = DEFAULT_ARCHITECTURE
    places: tuple[int, ...] = (0,)
    change: Change = Change.NOP_TO_CALL
    codes: tuple[bytes, bytes] | None = None
    right: tuple[bytes, ...] = ()
    calls: frozenset[str] = frozenset()
    others: tuple[OtherPatcher, ...] = ()
    fails_at: int = 0
    handler: Handler = Handler.EMULATE
    misses: frozenset[int] = frozenset()
    handler_sites: frozenset[int] = frozenset()
    nmi_sites: frozenset[int] = frozenset()
    irq_sites: frozenset[int] = frozenset()
    idle_sites: frozenset[int] = frozenset()
    into: frozenset[int] = frozenset()
    nests: bool = False
    ist: frozenset[Stack] = frozenset()
    hotplug: Hotplug = Hotplug.NONE
    deaf: frozenset[int] = frozenset()
    user: bool = False
    deferral: Deferral = Deferral.WATCHING
    entry_sites: frozenset[int] = frozenset()
    visits: int = 0
    stores: int = 0
    cpus: int = 2
    fetch: tuple[str, ...] = ()
    never: frozenset[Wrong] = frozenset(Wrong)
    live: bool = False
    expect: Mapping[str, Expectation] = field(default_factory=dict)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the fetch models under which it is searched."""
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
        """The code of the architecture's breakpoint; b"" if it has none."""
        trap = self.ftrace_arch.breakpoint
        return trap.code if trap else b""

    @property
    def from_call(self) -> bool:
        """Whether the code before calls."""
        return "old" in self.calls if self.codes else self.change.from_call

    @property
    def to_call(self) -> bool:
        """Whether the code after calls."""
        return "new" in self.calls if self.codes else self.change.to_call

    @property
    def offsets(self) -> list[int]:
        """Where the instructions of the old code begin."""
        start = self.race_arch.first_line
        (patch,) = self.patches([start], *self.race_arch.targets)
        return [instruction.address - start for instruction in disassemble(self.ftrace_arch.cpu, patch.old, start)]

    @property
    def change_text(self) -> str:
        """The code before and after, in words."""
        return " > ".join(code.hex(" ") for code in self.codes) if self.codes else self.change.value

    @property
    def named_sites(self) -> frozenset[int]:
        """The sites of which more is said than their places."""
        named = self.misses, self.handler_sites, self.nmi_sites, self.irq_sites, self.idle_sites, self.entry_sites
        return frozenset().union(*named)

    def store_of(self, model: FetchModel) -> int:
        """In aligned pieces of how many bytes a store is seen whole."""
        return self.stores or model.store

    def expected(self, fetch: str) -> Expectation | None:
        """The expectation under a fetch model; None if there is none."""
        return self.expect.get(fetch)

    def patches(self, sites: Sequence[int], first: int, second: int) -> list[Patch]:
        """The patches of sites at these addresses, whose calls go to `first`, or from `first` to `second`."""
        change = self.change
        if self.codes:
            return [Patch(at, *self.codes) for at in sites]
        last = second if change is Change.CALL_TO_CALL else first
        return [Patch(at, self._code(change.before, at, first), self._code(change.after, at, last)) for at in sites]

    def between(self, patch: Patch) -> list[tuple[bytes, bool | None]]:
        """Code that is neither old nor new but may be executed; whether it does what the new code does (None: neither)."""
        mixture = self.mixture(patch)
        return [*([mixture] if mixture else []), *((code, None) for code in self.right)]

    def mixture(self, patch: Patch) -> tuple[bytes, bool] | None:
        """A mixture of old and new code that does the same as one of them, and whether that is the new one; None: there is none.

        If a pair's second instruction is a nop, its first one has no effect.
        """
        if self.codes or self.change not in (Change.NOPS_TO_PAIR, Change.PAIR_TO_NOPS):
            return None
        nops, pair = (patch.old, patch.new) if self.change is Change.NOPS_TO_PAIR else (patch.new, patch.old)
        half = len(pair) // 2
        return pair[:half] + nops[half:], self.change is Change.PAIR_TO_NOPS

    def _code(self, what: str, at: int, target: int) -> bytes:
        """The code of a change's side at an address."""
        arch, own = self.ftrace_arch, self.race_arch
        if what == "nop":
            return arch.nop
        if what == "call":
            return arch.call(at, target)
        if not self.change.of_a_pair:
            return own.nops
        if own.pair is None:
            raise ValueError(f"{self.arch} has no calls of two instructions")
        first, second = own.pair(at, target)
        return {"nops": arch.nop + arch.nop, "half": first + arch.nop, "pair": first + second}[what]

    def steps(self, patches: Sequence[Patch]) -> list[LabStep]:
        """The steps that make the patches, each write expecting the bytes that it will find; with the way back if one must fail.

        Raises:
            ValueError: the protocol breaks a rule. The text says which.
        """
        steps = checked(steps_of(self.protocol, patches, self.breakpoint, STEP_KINDS), patches)
        return undone(steps, patches, self.breakpoint, self.fails_at) if self.fails_at else steps

    def steps_of_all(self, patches: Sequence[Patch]) -> list[list[LabStep]]:
        """The steps of each patcher.

        Raises:
            ValueError: as `steps`.
        """
        others = [checked(steps_of(other.protocol, patches, self.breakpoint, STEP_KINDS), patches) for other in self.others]
        return [self.steps(patches), *others]
