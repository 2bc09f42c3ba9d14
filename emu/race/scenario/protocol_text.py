# SPDX-License-Identifier: GPL-2.0-only
"""Protocols in scenarios: by name, from a user's file, or written out step by step.

Each is a function like `Scenario.protocol`; equal texts yield equal ones.

    breakpoint without 4 swap 1 3           changes apply from left to right; each counts the stages as they are then
    mine.py:hasty
    write head breakpoint; sync; write 2 +1..4 new; forget
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from emu.ftrace.sites.patching import Park, Patch, Release, Synchronise, Write
from emu.race.scenario.protocol_steps import (
    LAB_PROTOCOLS,
    Forget,
    Free,
    Know,
    LabStep,
    Lock,
    Unlock,
    WaitTasks,
    WideWrite,
    stages,
    swapped,
    without,
)
from emu.race.scenario.scenario import LabProtocol

__all__ = [
    "MOST_LOCKS",
    "NUMBERED",
    "OF_A_SITE",
    "STEPS",
    "WIDTHS",
    "ChangedProtocol",
    "FileProtocol",
    "NamedProtocol",
    "ShippedProtocol",
    "WrittenProtocol",
    "WrittenWrite",
    "written",
]

STEPS: Mapping[str, LabStep] = MappingProxyType(
    {
        "sync": Synchronise(),
        "park": Park(),
        "release": Release(),
        "free": Free(),
        "wait-tasks": WaitTasks(),
        "forget": Forget(),
        "know": Know(),
        "lock": Lock(),
        "unlock": Unlock(),
    }
)
"""Steps that are a single word; those of NUMBERED may have a number after it."""

OF_A_SITE = ("forget", "know")
NUMBERED = (*OF_A_SITE, "lock", "unlock")
MOST_LOCKS = 4
WIDTHS = (1, 2, 4, 8, 16)
_WIDEST = WIDTHS[-1]

_PARTS = ("all", "head", "tail")
_RANGE = re.compile(r"\+(\d{1,3})(?:\.\.(\d{1,3}))?")


@dataclass(frozen=True)
class ShippedProtocol:
    """A protocol of the driver or of the lab, by name."""

    name: str

    def __call__(self, patches: Sequence[Patch], breakpoint: bytes) -> list[LabStep]:
        return [*LAB_PROTOCOLS[self.name](patches, breakpoint)]

    @property
    def text(self) -> str:
        return self.name


@dataclass(frozen=True)
class FileProtocol:
    """A function in a user's file."""

    text: str  # FILE.py:FUNCTION
    function: LabProtocol = field(compare=False)

    def __call__(self, patches: Sequence[Patch], breakpoint: bytes) -> Sequence[LabStep]:
        return self.function(patches, breakpoint)


@dataclass(frozen=True)
class ChangedProtocol:
    """Another protocol with some stages omitted, or with two swapped. Stages are counted from 1.

    Calling it raises a ValueError if the other protocol does not have such a stage.
    """

    protocol: ShippedProtocol | FileProtocol | ChangedProtocol
    without: tuple[int, ...] = ()
    swap: tuple[int, int] | None = None

    def __call__(self, patches: Sequence[Patch], breakpoint: bytes) -> list[LabStep]:
        steps = self.protocol(patches, breakpoint)
        count = len(stages(steps))
        for number in (*self.without, *(self.swap or ())):
            if not 0 < number <= count:
                raise ValueError(f"there is no stage {number} of {count}")
        return swapped(steps, *self.swap) if self.swap else without(steps, *self.without)

    @property
    def text(self) -> str:
        change = f"swap {self.swap[0]} {self.swap[1]}" if self.swap else f"without {' '.join(map(str, self.without))}"
        return f"{self.protocol.text} {change}"


NamedProtocol: TypeAlias = ShippedProtocol | FileProtocol | ChangedProtocol


@dataclass(frozen=True)
class WrittenWrite:
    """A write at one site or at all of them, in the form of its words.

    Attributes:
        part: "head" (the breakpoint's length), "tail" (the rest), "all", or "+A..B" (the bytes A to B, from 0).
        value: "breakpoint", "old", "new", or bytes in hexadecimal.
        site: from 1; 0: all sites, one after another.
        by: the widths in bytes of the stores that it is made of, one behind the other; the last may reach beyond the part, and
            writes there what is there. (): a store of 8 bytes, or as many as the part needs.
    """

    part: str
    value: str
    site: int = 0
    by: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        by = f" by {' '.join(map(str, self.by))}" if self.by else ""
        return f"write {f'{self.site} ' * bool(self.site)}{self.part} {self.value}{by}"

    def check_widths(self, size: int) -> None:
        """Checks the widths for a part of so many bytes.

        Raises:
            ValueError: they are too short, or there are too many. The text says what is allowed.
        """
        if self.by and not sum(self.by[:-1]) < size <= sum(self.by):
            raise ValueError(f"stores of {' and '.join(map(str, self.by))} bytes for a part of {size}; as many as the part needs")

    def bytes_of(self, size: int, breakpoint: int) -> range:
        """The range of its part of a site. `breakpoint`: the breakpoint's length.

        Raises:
            ValueError: the part does not exist. The text says what is allowed.
        """
        if self.part in ("head", "tail") and not breakpoint:
            raise ValueError(f"there is no {self.part} without a breakpoint; all, or +A..B for the bytes A to B")
        if self.part in _PARTS:
            return range(breakpoint if self.part == "tail" else 0, breakpoint if self.part == "head" else size)
        found = _RANGE.fullmatch(self.part)
        if found is None:
            raise ValueError("this is no part of a site; head, tail, all, or +A..B for the bytes A to B")
        first, last = int(found[1]), int(found[2] or found[1])
        if not first <= last < size:
            raise ValueError(f"a site has no such bytes; +A..B with A <= B, from 0 to {size - 1}")
        return range(first, last + 1)

    def data(self, patch: Patch, breakpoint: bytes) -> bytes:
        """The bytes written to its part of a site.

        Raises:
            ValueError: as `bytes_of`; or the value is not as long as the part.
        """
        places = self.bytes_of(len(patch.old), len(breakpoint))
        if self.value in ("old", "new"):
            code = patch.old if self.value == "old" else patch.new
            return code[places.start : places.stop]
        if self.value == "breakpoint" and not breakpoint:
            raise ValueError("there is no breakpoint; old, new, or bytes in hexadecimal")
        try:
            data = breakpoint if self.value == "breakpoint" else bytes.fromhex(self.value)
        except ValueError:
            raise ValueError("this cannot be written; breakpoint, old, new, or bytes in hexadecimal") from None
        if len(data) != len(places):
            raise ValueError(f"{len(data)} bytes for a part of {len(places)}; as many as the part has")
        return data

    def writes(self, patches: Sequence[Patch], breakpoint: bytes) -> list[Write]:
        if self.site > len(patches):
            raise ValueError(f"there is no site {self.site} of {len(patches)}")
        found: list[Write] = []
        for patch in [patches[self.site - 1]] if self.site else patches:
            places = self.bytes_of(len(patch.old), len(breakpoint))
            old = patch.old[places.start : places.stop]
            self.check_widths(len(places))
            data, at = self.data(patch, breakpoint), 0
            for width in self.by or (len(places),):
                kind = WideWrite if width == _WIDEST and self.by else Write
                found.append(kind(patch.address + places.start + at, old[at : at + width], data[at : at + width]))
                at += width
        return found


@dataclass(frozen=True)
class WrittenProtocol:
    """Steps written out in a scenario: writes, and words of STEPS, some of them with a site's number."""

    steps: tuple[WrittenWrite | str, ...]

    def __call__(self, patches: Sequence[Patch], breakpoint: bytes) -> list[LabStep]:
        found: list[LabStep] = []
        for step in self.steps:
            found += [_step(step, len(patches))] if isinstance(step, str) else step.writes(patches, breakpoint)
        return found

    @property
    def lines(self) -> list[str]:
        return [step if isinstance(step, str) else step.text for step in self.steps]

    @property
    def text(self) -> str:
        return "; ".join(self.lines)


def _step(text: str, sites: int) -> LabStep:
    word, _, number = text.partition(" ")
    if not number:
        return STEPS[word]
    if word in ("lock", "unlock"):
        return Lock(int(number)) if word == "lock" else Unlock(int(number))
    if int(number) > sites:
        raise ValueError(f"there is no site {number} of {sites}")
    return Know(int(number)) if word == "know" else Forget(int(number))


def _number_of(step: LabStep) -> int:
    """The number that follows a step's word."""
    match step:
        case Know(site=number) | Forget(site=number) | Lock(number=number) | Unlock(number=number):
            return number
    return 0


def written(steps: Sequence[LabStep], patches: Sequence[Patch], breakpoint: bytes) -> WrittenProtocol:
    """Steps for certain patches, written out so that they also apply at other addresses.

    Args:
        steps: the steps, with each write within one of the patches.
        patches: what the steps change.
        breakpoint: the architecture's breakpoint.
    """
    words = {step: word for word, step in STEPS.items()}
    found: list[WrittenWrite | str] = []
    for step in steps:
        if not isinstance(step, Write):
            found.append(words[step] if step in words else f"{words[type(step)()]} {_number_of(step)}")
            continue
        last = _written(step, patches, breakpoint)
        found.append(last)
        run = found[-len(patches) :]
        if run == [WrittenWrite(last.part, last.value, site, last.by) for site in range(1, len(patches) + 1)]:
            found[-len(patches) :] = [WrittenWrite(last.part, last.value, by=last.by)]
    return WrittenProtocol(tuple(found))


def _written(write: Write, patches: Sequence[Patch], breakpoint: bytes) -> WrittenWrite:
    site, patch = next((n, p) for n, p in enumerate(patches, 1) if 0 <= write.address - p.address < len(p.old))
    places = range(write.address - patch.address, write.address - patch.address + len(write.new))
    head, size = len(breakpoint), len(patch.old)
    parts = {range(size): "all"}
    if head:
        parts |= {range(head): "head", range(head, size): "tail"}
    part = parts.get(places) or f"+{places.start}" + f"..{places.stop - 1}" * (len(places) > 1)
    old, new = (code[places.start : places.stop] for code in (patch.old, patch.new))
    values = {old: "old", breakpoint: "breakpoint", new: "new"}  # if some are equal, the last counts
    by = (_WIDEST,) if isinstance(write, WideWrite) else ()
    return WrittenWrite(part, values.get(write.new) or write.new.hex(" "), site, by)
