# SPDX-License-Identifier: GPL-2.0-only
"""A schedule as a table: columns for the patcher and each CPU, the contents of memory, and what CPUs owe the patcher."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from emu.cpu.disassembly import disassemble
from emu.race.model.cpu_state import Frame, Kind
from emu.race.scenario.fetch import MODELS
from emu.race.scenario.scenario import LINE
from emu.race.schedule.event import PATCHER, Event, What
from emu.race.schedule.schedule import Schedule
from emu.race.schedule.walk import Point, Walk

__all__ = ["cell", "head", "row", "state", "table"]

_GAP = "  "
_WIDTH = 120  # of wrapped text
_CODE = 3  # columns per byte
_DOES = {
    What.SYNC: "interrupts all CPUs",
    What.PARK: "has all CPUs wait",
    What.RELEASE: "releases all CPUs",
    What.FREE: "frees trampolines",
    What.WAIT_TASKS: "waits for tasks",
    What.PREEMPT: "preempts the others",
    What.DONE: "is done",
    What.INTERRUPT: "synchronises",
    What.WAIT: "waits",
    What.GO_ON: "goes on, synchronised",
    What.RETURN: "returns from the NMI",
    What.ONLINE: "comes online",
    What.OFFLINE: "goes offline",
    What.LEAVE: "leaves the trampoline",
    What.ENTER: "enters the kernel",
    What.EXIT: "goes to user mode",
}
_VISITS = {What.NMI: "NMI", What.IRQ: "interrupt", What.IDLE: "idle"}
_NESTED = (Kind.NMI, Kind.IRQ, Kind.IDLE, Kind.TRAP, Kind.ENTRY, Kind.IN)
_KEY = (
    "[ ] bytes just written   |  in the midst of a site, a handler, a trampoline or the entry   :  waits",
    "below bytes: of which version the CPU has seen each piece, where it is not the newest (`ver`: of memory)",
)
_UNKNOWN = "??: of the machine's old call, which no event has fetched"


@dataclass
class _Row:
    """Cells, each of several lines."""

    number: list[str]
    agents: list[list[str]]
    version: list[str]
    memory: list[list[str]]
    owes: list[str]
    bars: list[str] = field(default_factory=list)  # of each agent: printed where its cell has no line

    def cells(self) -> list[list[str]]:
        return [self.number, *self.agents, self.version, *self.memory, self.owes]


def table(schedule: Schedule) -> str:
    """The whole table, followed by the verdict.

    Raises:
        NotPermitted: an event is impossible at its place.
        ValueError: the scenario is impossible.
    """
    walk = Walk(schedule)
    lines = [line for lines in _laid_out(_rows(walk)) for line in lines]
    key = [*_KEY, *([_UNKNOWN] if any(walk.points[0].unknown) else [])]
    return "\n".join([*head(walk), "", *lines, "", *key, "", _verdict(schedule), ""])


def row(walk: Walk) -> list[str]:
    """The titles and the row for a walk's present point, in the table's format."""
    titles, *rows = _laid_out(_rows(walk))
    return [*titles, *rows[walk.at]]


def head(walk: Walk) -> list[str]:
    """The schedule's subject: the scenario, the fetch model, and the sites' code before and after."""
    schedule, scenario = walk.schedule, walk.schedule.scenario
    cpus = f"{scenario.cpus} CPU{'s' * (scenario.cpus > 1)}"
    protocols = [scenario.protocol_text, *(f"beside it {other.text}" for other in scenario.others)]
    title = f"{scenario.name}: {'; '.join(protocols)}; {scenario.arch}, {cpus}, found on the {schedule.on}"
    lines = textwrap.wrap(title, _WIDTH, subsequent_indent="    ")
    if scenario.about:
        lines.append(scenario.about)
    lines.append(f"fetch {schedule.fetch}: {MODELS[schedule.fetch].meaning}")
    lines.append("")
    for number, (patch, unknown) in enumerate(zip(walk.patches, walk.points[0].unknown, strict=True), 1):
        crossed = [size for size in (8, 16, LINE) if patch.address % size + len(patch.old) > size]
        where = f"crosses {crossed[-1]} bytes" if crossed else "crosses no 8 bytes"
        lines.append(f"site {number}, at byte {patch.address % LINE} of its line of {LINE}, {where}: {scenario.change_text}")
        for word, code in (("old", patch.old), ("new", patch.new)):
            if code and not unknown:
                text = "; ".join(i.text for i in disassemble(scenario.ftrace_arch.cpu, code, patch.address))
                lines.append(f"  {word}  {code.hex(' ')}  {text}")
    return lines


def state(walk: Walk) -> list[str]:
    """A line for each CPU at a walk's present point: what it is doing, what it owes, and what it may see."""
    point = walk.point
    lines = []
    for cpu, owes in enumerate(point.owes):
        sees = []
        for site, versions in enumerate(point.may_see[cpu], 1):
            old = f"may be seen as of version {versions[0]} or later" if len(versions) > 1 else "is seen as it is"
            sees.append(f"site {site} {old}")
        lines.append("; ".join([f"CPU {cpu}: {point.describe(cpu)}", *([f"owes: {owes}"] if owes else []), *sees]))
    return lines


def cell(walk: Walk, number: int) -> list[str]:
    """The lines that say what happens in an event, counted from 1."""
    point = walk.points[number]
    assert point.event is not None
    return [line for line in _cell(walk, point, point.event) if line.strip()]


def _titles(walk: Walk) -> _Row:
    scenario = walk.schedule.scenario
    others = ([f"patcher {number}"] for number in range(2, len(scenario.others) + 2))
    agents = [["patcher"], *others, *([f"CPU {cpu}"] for cpu in range(scenario.cpus))]
    sites = [[f" site {n}"] for n in range(1, len(scenario.places) + 1)]
    return _Row([""], agents, ["ver"], sites, ["owes"])


def _row(walk: Walk, number: int) -> _Row:
    point = walk.points[number]
    before = walk.points[max(number - 1, 0)]
    event = point.event
    shows_memory = event is None or event.what in (What.WRITE, What.FETCH)
    memory = [[_bytes(point, n) if shows_memory else ""] for n in range(1, len(point.memory) + 1)]
    bars = [_bars(frames, parked) for frames, parked in zip(before.nesting, before.parked, strict=True)]
    patchers = 1 + len(walk.schedule.scenario.others)
    agents: list[list[str]] = [[] for _ in range(patchers + len(bars))]
    if event is not None:
        is_patcher = event.agent <= PATCHER
        lane = PATCHER - event.agent if is_patcher else patchers + event.agent
        agents[lane] = [line if is_patcher else bars[event.agent] + line for line in _cell(walk, point, event)]
    version = [f"{point.version:3}" if shows_memory else ""]
    return _Row([f"{number:3}" if event else ""], agents, version, memory, _owes(point), [*[""] * patchers, *bars])


def _bars(frames: Sequence[Frame], parked: bool) -> str:
    """A bar for each of a CPU's activities, innermost last. A parked CPU can only be interrupted by an NMI."""
    nmi = next((n for n, frame in enumerate(frames) if frame.kind is Kind.NMI), len(frames))
    inside = ["| " * sum(frame.kind in _NESTED or frame.offset > 0 for frame in part) for part in (frames[:nmi], frames[nmi:])]
    return (": " * parked).join(inside)


def _bytes(point: Point, site: int) -> str:
    """The bytes of a site, with those just written in brackets."""
    code, unknown, event = point.memory[site - 1], point.unknown[site - 1], point.event
    text = [" "] + [c for n, byte in enumerate(code) for c in ("??" if n in unknown else f"{byte:02x}", " ")]
    if event is not None and event.what is What.WRITE and event.site == site:
        text[2 * event.offset] = "["
        text[2 * (event.offset + len(event.code))] = "]"
    return "".join(text)


def _owes(point: Point) -> list[str]:
    """A line for each thing that CPUs owe."""
    by_thing: dict[str, list[str]] = {}
    for cpu, thing in enumerate(point.owes):
        if thing:
            by_thing.setdefault(thing, []).append(str(cpu))
    return [f"CPU {', '.join(cpus)}: {thing}" for thing, cpus in by_thing.items()]


def _cell(walk: Walk, point: Point, event: Event) -> list[str]:
    """The text of an agent's event."""
    several = len(point.memory) > 1
    match event.what:
        case What.WRITE:
            return [f"writes {event.site}+{event.offset}  {event.code.hex(' ')}"]
        case What.FETCH:
            return list(_fetch(walk, point, event, several))
        case What.NMI | What.IRQ | What.IDLE:
            return [_VISITS[event.what] + f", comes to site {event.site}" * several]
        case What.KNOW | What.FORGET:
            return [f"{'knows' if event.what is What.KNOW else 'forgets'} {f'site {event.site}' if event.site else 'the sites'}"]
        case What.LOCK | What.UNLOCK:
            return [f"{'takes' if event.what is What.LOCK else 'gives back'} lock {event.site}"]
        case What.HANDLE:
            mark = [point.wrong.value.upper()] if point.wrong else []
            return ["breakpoint handler:", event.text or "handles it", *mark]
    return [_DOES[event.what] + (": " + point.wrong.value.upper() if point.wrong else "")]


def _fetch(walk: Walk, point: Point, event: Event, several: bool) -> Iterator[str]:
    site = f"{event.site}: " if several else ""
    before = ".. " * event.offset
    yield f"{site}{before}{event.code.hex(' ')}  {point.wrong.value.upper() if point.wrong else point.seen}"
    versions = _versions(walk, point, event)
    if versions:
        yield " " * len(site) + versions
    address = walk.patches[event.site - 1].address + event.offset
    yield event.text or disassemble(walk.schedule.scenario.ftrace_arch.cpu, event.code, address)[0].text


def _versions(walk: Walk, point: Point, event: Event) -> str:
    """The version of each piece, below its first byte; "" if all are the newest."""
    code, now = event.code, point.memory[event.site - 1]
    if code == now[event.offset : event.offset + len(code)] and point.wrong is None:
        return ""
    end = event.offset + len(code)
    units = [unit for unit in walk.units[event.site - 1] if unit.start < end and unit.stop > event.offset]
    text = [" " * _CODE] * end
    for unit, version in zip(units, event.versions, strict=False):
        first = max(unit.start, event.offset)
        text[first] = f"{version:<{_CODE}}"
        text[first + 1 : min(unit.stop, end)] = [f"{'.':<{_CODE}}"] * (min(unit.stop, end) - first - 1)
    return "".join(text).rstrip()


def _rows(walk: Walk) -> list[_Row]:
    return [_titles(walk), *(_row(walk, number) for number in range(len(walk.points)))]


def _laid_out(rows: Sequence[_Row]) -> list[list[str]]:
    """The lines of each row. The first row has the titles, followed by a rule."""
    cells = [row.cells() for row in rows]
    columns = range(len(cells[0]))
    widths = [max(len(line) for row, cell in zip(rows, cells, strict=True) for line in (*cell[n], _bar(row, n))) for n in columns]
    found = []
    for row, own in zip(rows, cells, strict=True):
        lines = []
        for n in range(max(len(cell) for cell in own)):
            texts = [cell[n] if n < len(cell) else _bar(row, column) for column, cell in enumerate(own)]
            lines.append(_GAP.join(text.ljust(width) for text, width in zip(texts, widths, strict=True)).rstrip())
        found.append(lines)
    found[0].append(_GAP.join("-" * width for width in widths))
    return found


def _bar(row: _Row, column: int) -> str:
    return row.bars[column - 1].rstrip() if 1 <= column <= len(row.bars) else ""


def _verdict(schedule: Schedule) -> str:
    return f"=> {schedule.wrong}: {schedule.why}" if schedule.wrong else "=> nothing wrong"
