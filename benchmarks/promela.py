# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios of the race lab in Promela, as a user of SPIN would write them: a peer for the speed of emu's model, and a check of
it.

It is a second implementation of what `emu.race.schedule.event`, `emu.race.scenario.fetch` and `emu.race.scenario.scenario`
describe in words. It shares with emu's model the protocol's steps, the sites' addresses and the data of the fetch models, and
nothing else: no tables, no disassembler, no views. Each event is one step (`d_step`), so SPIN should find as many states as emu
does without symmetry, and a shortest trail as long as emu's schedule.

Memory has versions, counted by `stores`. A *run* is a range of versions in which the bytes of a unit stay the same. A CPU can see
a run if it has begun, and was not yet over when the CPU synchronised.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from emu.ftrace.sites.patching import Park, Patch, Release, Synchronise, Write
from emu.race.model.model_sites import model_patches
from emu.race.scenario.change import Change
from emu.race.scenario.fetch import MODELS
from emu.race.scenario.fetch_model import FetchModel
from emu.race.scenario.protocol_steps import Forget, Free, Know, LabStep, Lock, Unlock, WaitTasks
from emu.race.scenario.scenario import Handler, Hotplug, Scenario, Wrong

__all__ = ["WRONGS", "promela"]

WRONGS = tuple(Wrong)
"""The values of `wrong`, from 1."""

_MODEL = """\
/* {title} */
#define CPUS {cpus}
#define NOTHING 0 /* that a CPU owes */
#define INTERRUPT 1
#define LOST_INTERRUPT 2 /* one that does not reach the fetch */
#define WAIT 3
#define GO_ON 4
#define TASK 5 /* to be away once */
#define IS_AWAY(cpu) (at[cpu] == HOME && nmi[cpu] == HOME)
#define ANSWER_IF_AWAY if :: due[_pid] == TASK && IS_AWAY(_pid) -> due[_pid] = NOTHING :: else fi
{places}
#define RUNS (nmi[_pid] == HOME && !waits[_pid])
#define TAKES_INTERRUPTS (RUNS && at[_pid] < TRAP_1)
#define KNOWN (!over && !forgotten)
#define SYNCHRONISE(cpu) {synchronise}

byte stores; /* so far */
byte wrong;
bool over, forgotten, freed;
byte at[CPUS], nmi[CPUS]; /* where each CPU is; where an NMI on top of that is */
byte due[CPUS];
bool waits[CPUS];
{views}
active [CPUS] proctype cpu() {{
	do
{cpu}
	od
}}

active proctype patcher() {{
{patcher}
	false
}}
"""


class _Kind(Enum):
    """What a fetched instruction is."""

    OLD = auto()
    NEW = auto()
    BREAKPOINT = auto()
    TORN = auto()


@dataclass(frozen=True)
class _Run:
    """The bytes of a unit, from one version of memory to another."""

    unit: range  # addresses
    first: int
    last: int
    code: bytes


def promela(scenario: Scenario, fetch: str) -> str:
    """The model of a scenario under a fetch model. The patcher is its last process, and ends at a statement of its own.

    Raises:
        ValueError: the scenario has something that cannot be expressed in Promela. The text says what.
    """
    handlers = scenario.irq_sites or scenario.idle_sites or scenario.nests or scenario.ist
    others = handlers or scenario.into or scenario.codes or scenario.right
    if scenario.user or scenario.handler_sites or scenario.visits or others or scenario.hotplug is not Hotplug.NONE:
        raise ValueError("there is no Promela for user, entry, in-handler, visits, irq, idle, into, nests, ist, old and hotplug")
    if scenario.others or scenario.live or scenario.handler is Handler.WAIT:
        raise ValueError("there is no Promela for several patchers, live, and handlers that wait")
    steps = scenario.steps(model_patches(scenario))
    if any(isinstance(step, Lock | Unlock) for step in steps):
        raise ValueError("there is no Promela for locks")
    if any(isinstance(step, Know) or (isinstance(step, Forget) and step.site) for step in steps):
        raise ValueError("there is no Promela for know, and none for forget with a site")
    if scenario.deaf and any(isinstance(step, Release) for step in steps):
        raise ValueError("there is no Promela for releases that may be deaf")
    return _Model(scenario, MODELS[fetch]).text()


class _Memory:
    """The contents of the sites, and which of them a CPU may see. A unit is a part of one site."""

    def __init__(self, fetch: FetchModel, patches: Sequence[Patch], steps: Sequence[LabStep]) -> None:
        self._fetch, self._patches = fetch, patches
        self._versions = [{p.address + n: byte for p in patches for n, byte in enumerate(p.old)}]
        for step in steps:
            if isinstance(step, Write):
                written = {step.address + n: byte for n, byte in enumerate(step.new)}
                self._versions.append({**self._versions[-1], **written})
        self._units: list[list[range]] = []  # by site
        for patch in patches:
            by_granule = itertools.groupby(range(patch.address, patch.address + len(patch.old)), lambda at: at // fetch.granule)
            units = [list(group) for _, group in by_granule]
            self._units.append([range(unit[0], unit[-1] + 1) for unit in units])

    @property
    def views(self) -> list[str]:
        """The arrays in which each CPU keeps what it may still see."""
        if self._fetch.coherent:
            return []
        return [_view(unit) for units in self._units for unit in units] if self._fetch.monotone else ["view"]

    def synchronise(self, cpu: str) -> str:
        """The statements after which a CPU sees only the newest version."""
        if not self._fetch.monotone:
            return "; ".join(f"{view}[{cpu}] = stores" for view in self.views) or "skip"
        choices = []
        for unit in itertools.chain(*self._units):
            runs = [f":: {_between(run)} -> {_view(unit)}[{cpu}] = {run.first}" for run in self._runs(unit, unit)]
            choices.append(f"if {' '.join(runs)} fi")
        return "; ".join(choices)

    def fetches(self, site: int, offset: int, kinds: Mapping[bytes, _Kind]) -> Iterator[tuple[_Kind, str, str]]:
        """All possible results of a fetch: the kind of instruction, the condition, and statements that record what was seen."""
        start = self._patches[site - 1].address + offset
        touched = [unit for unit in self._units[site - 1] if start < unit.stop]
        units = [self._runs(unit, range(max(unit.start, start), unit.stop)) for unit in touched]
        if not self._fetch.monotone:
            for kind in _Kind:
                if when := self._may_be(kind, units, kinds):
                    yield kind, when, ""
            return
        for runs in itertools.product(*units):
            seen = "".join(f"; {_view(run.unit)}[_pid] = {run.first}" for run in runs)
            if fetched := _kind(b"".join(run.code for run in runs), kinds):
                yield fetched, _all(self._sees(run) for run in runs), seen

    def holds(self, site: int, code: bytes) -> str:
        """The condition under which memory has `code` at a site."""
        address = self._patches[site - 1].address
        part = range(address, address + len(code))
        return " || ".join(_between(run) for run in self._runs(part, part) if run.code == code) or "false"

    def _may_be(self, wanted: _Kind, units: Sequence[Sequence[_Run]], kinds: Mapping[bytes, _Kind], code: bytes = b"") -> str:
        """The condition under which a fetch whose first bytes are `code` may be of a kind; "" if it cannot."""
        if kind := _kind(code, kinds):
            return "true" if kind is wanted else ""
        terms = []
        for run in units[0]:
            if rest := self._may_be(wanted, units[1:], kinds, code + run.code):
                terms.append(_all([self._sees(run), rest]))
        return terms[0] if len(terms) == 1 else f"({' || '.join(terms)})" if terms else ""

    def _sees(self, run: _Run) -> str:
        """The condition under which a CPU may see a run."""
        if run.last == len(self._versions) - 1:
            return _between(run, "")
        return _between(run, "stores" if self._fetch.coherent else f"{_view(run.unit) if self._fetch.monotone else 'view'}[_pid]")

    def _runs(self, unit: range, part: range) -> list[_Run]:
        """The runs of a part of a unit; if a CPU never goes back to an older version of the unit, runs of the whole unit."""
        told_apart = unit if self._fetch.monotone else part
        runs: list[_Run] = []
        for _, group in itertools.groupby(enumerate(self._versions), lambda item: [item[1][at] for at in told_apart]):
            (first, memory), *others = group
            runs.append(_Run(unit, first, first + len(others), bytes(memory[at] for at in part)))
        return runs


class _Model:
    def __init__(self, scenario: Scenario, fetch: FetchModel) -> None:
        self._scenario, self._fetch = scenario, fetch
        self._patches = model_patches(scenario)
        self._steps = list(_visible_stores(scenario.steps(self._patches), scenario.store_of(fetch)))
        self._memory = _Memory(fetch, self._patches, self._steps)
        self._calls_old = scenario.change in (Change.CALL_TO_CALL, Change.CALL_TO_NOP)
        self._frees = self._calls_old and any(isinstance(step, Free | WaitTasks) for step in self._steps)
        self._breakpoint = scenario.breakpoint

    def text(self) -> str:
        """The whole model."""
        sites = range(1, len(self._patches) + 1)
        names = ["HOME", "TRAMPOLINE"]
        names += [f"AT_{site}_{offset}" for site in sites for offset in self._offsets]
        names += [f"TRAP_{site}" for site in sites]
        waits = any(isinstance(step, WaitTasks) for step in self._steps)
        answer = "; ANSWER_IF_AWAY" if waits else ""
        options = [*self._answers(), *(option for site in sites for option in self._comes_to(site))]
        return _MODEL.format(
            title=f"{self._scenario.name}: {self._scenario.protocol_text}, fetch {self._fetch.name}",
            cpus=self._scenario.cpus,
            places="\n".join(f"#define {name} {number}" for number, name in enumerate(names)),
            synchronise=self._memory.synchronise("cpu"),
            views="".join(f"byte {view}[CPUS];\n" for view in self._memory.views),
            cpu="\n".join(f"\t:: d_step {{ {option}{answer} }}" for option in options),
            patcher="\n".join(f"\td_step {{ {step} }};" for step in self._patcher()),
        )

    def _patcher(self) -> Iterator[str]:
        """The patcher's statements."""
        cpus = range(self._scenario.cpus)
        answered = _all(f"due[{cpu}] == NOTHING" for cpu in cpus)
        stands = " || ".join(f"at[{cpu}] == TRAMPOLINE || nmi[{cpu}] == TRAMPOLINE" for cpu in cpus)
        version = synchronisation = 0

        def ask(what: str) -> str:
            return f"{answered} -> {'; '.join(f'due[{cpu}] = {what}' for cpu in cpus)}"

        for step in self._steps:
            match step:
                case Write():
                    version += 1
                    yield f"{answered} -> stores = {version} /* {step.address:#x}: {step.new.hex(' ')} */"
                case Synchronise():
                    synchronisation += 1
                    yield ask("LOST_INTERRUPT" if synchronisation in self._scenario.deaf else "INTERRUPT")
                case Park():
                    yield ask("WAIT")
                case Release():
                    yield "; ".join([ask("GO_ON"), *(f"SYNCHRONISE({cpu})" for cpu in cpus)])
                case Free():
                    yield f"{answered} -> freed = true; if :: {stands} -> {_fails(Wrong.FREED)} :: else fi"
                case WaitTasks():
                    asked = (f"if :: IS_AWAY({cpu}) :: else -> due[{cpu}] = TASK fi" for cpu in cpus)
                    yield f"{answered} -> {'; '.join(asked)}"
                case Forget():
                    yield f"{answered} -> forgotten = true"
        yield f"{answered} && {_all(f'!waits[{cpu}]' for cpu in cpus)} -> over = true"

    def _answers(self) -> Iterator[str]:
        """What a CPU does when the patcher asks it to, and its return from a trampoline."""
        yield "TAKES_INTERRUPTS && due[_pid] == INTERRUPT -> due[_pid] = NOTHING; SYNCHRONISE(_pid)"
        yield "TAKES_INTERRUPTS && due[_pid] == LOST_INTERRUPT -> due[_pid] = NOTHING"
        yield "TAKES_INTERRUPTS && due[_pid] == WAIT -> due[_pid] = NOTHING; waits[_pid] = true"
        yield "nmi[_pid] == HOME && waits[_pid] && due[_pid] == GO_ON -> due[_pid] = NOTHING; waits[_pid] = false"
        if self._frees:
            yield "RUNS && at[_pid] == TRAMPOLINE -> at[_pid] = HOME"
            yield "nmi[_pid] == TRAMPOLINE -> nmi[_pid] = HOME"

    def _comes_to(self, site: int) -> Iterator[str]:
        """The statements of a CPU that reaches a site."""
        yield from self._fetches(site, 0, "RUNS && at[_pid] == HOME", "at")
        for offset in self._offsets[self._scenario.handler is not Handler.RETRY :]:
            yield from self._fetches(site, offset, f"RUNS && at[_pid] == AT_{site}_{offset}", "at")
        yield from self._handles(site, f"RUNS && at[_pid] == TRAP_{site}", "at")
        if site in self._scenario.nmi_sites:
            yield f"nmi[_pid] == HOME -> nmi[_pid] = AT_{site}_0"
            for offset in self._offsets:
                yield from self._fetches(site, offset, f"nmi[_pid] == AT_{site}_{offset}", "nmi")
            yield from self._handles(site, f"nmi[_pid] == TRAP_{site}", "nmi")

    @property
    def _offsets(self) -> list[int]:
        """The offsets of the old code's instructions."""
        return [0, 2] if self._scenario.change is Change.NOPS_TO_CALL else [0]

    def _fetches(self, site: int, offset: int, guard: str, place: str) -> Iterator[str]:
        """Fetches and executes one instruction."""
        patch = self._patches[site - 1]
        following = next((other for other in self._offsets if other > offset), None)
        kinds = {patch.old[offset:following]: _Kind.OLD}
        if not offset:
            kinds[patch.new] = _Kind.NEW
        if self._breakpoint:
            kinds[self._breakpoint] = _Kind.BREAKPOINT
        replaced = _Kind.NEW if self._scenario.fails_at else _Kind.OLD
        for kind, may_be, seen in self._memory.fetches(site, offset, kinds):
            when, after = f"{guard} && {may_be}", "HOME"
            if kind is _Kind.TORN:
                yield from self._wrong(Wrong.TORN, when)
                continue
            if kind is _Kind.BREAKPOINT:
                after = f"TRAP_{site}"
            elif kind is _Kind.OLD and following:
                after = f"AT_{site}_{following}"
            elif kind is _Kind.OLD and self._frees:
                yield from self._wrong(Wrong.FREED, f"{when} && freed")
                when, after = f"{when} && !freed", "TRAMPOLINE"
            if kind is replaced:
                yield from self._wrong(Wrong.LATE, f"{when} && over")
                when += " && !over"
            yield f"{when} -> {place}[_pid] = {after}{seen}"

    def _handles(self, site: int, guard: str, place: str) -> Iterator[str]:
        """The breakpoint handler looks up who put the breakpoint there."""
        scenario = self._scenario
        finds = site not in scenario.misses and scenario.handler is not Handler.DIE
        if finds and scenario.handler is Handler.SKIP and scenario.change is Change.CALL_TO_CALL:
            yield from self._wrong(Wrong.SKIPPED, f"{guard} && KNOWN")
        elif finds:
            yield f"{guard} && KNOWN -> {place}[_pid] = HOME"
        unknown = f"{guard} && !KNOWN" if finds else guard
        if scenario.handler is Handler.RETRY:
            holds = self._memory.holds(site, self._breakpoint)
            yield f"{unknown} && !({holds}) -> {place}[_pid] = AT_{site}_0"
            unknown += f" && ({holds})"
        yield from self._wrong(Wrong.BREAKPOINT, unknown)

    def _wrong(self, wrong: Wrong, when: str) -> Iterator[str]:
        """Something goes wrong, unless the scenario tolerates it."""
        if wrong in self._scenario.never:
            yield f"{when} -> {_fails(wrong)}"


def _fails(wrong: Wrong) -> str:
    number = WRONGS.index(wrong) + 1
    return f"wrong = {number}; assert(wrong != {number})"


def _visible_stores(steps: Sequence[LabStep], atom: int) -> Iterator[LabStep]:
    """The steps, with one store for each aligned piece of `atom` bytes."""
    for step in steps:
        if not isinstance(step, Write):
            yield step
            continue
        for _, group in itertools.groupby(enumerate(step.new, step.address), key=lambda item: item[0] // atom):
            written = list(group)
            yield Write(written[0][0], b"", bytes(byte for _, byte in written))


def _kind(code: bytes, kinds: Mapping[bytes, _Kind]) -> _Kind | None:
    """The kind of the instruction that begins with `code`; None if more bytes decide. (No instruction is a prefix of another.)"""
    for known, kind in kinds.items():
        if code.startswith(known):
            return kind
    return None if any(known.startswith(code) for known in kinds) else _Kind.TORN


def _view(unit: range) -> str:
    return f"view_{unit.start & 0xFFFFF:x}"


def _between(run: _Run, oldest: str = "stores") -> str:
    """The condition under which a run has begun, and was not over at version `oldest`; "": without the second condition."""
    return _all([*([f"stores >= {run.first}"] if run.first else []), *([f"{oldest} <= {run.last}"] if oldest else [])])


def _all(conditions: Iterable[str]) -> str:
    return " && ".join(condition for condition in conditions if condition != "true") or "true"
