# SPDX-License-Identifier: GPL-2.0-only
"""Actions of histograms: what else an event does when it is counted.

    onmatch(sched.sched_waking).wakeup_latency($lat,next_pid)     a synthetic event happens
    onmax($lat).save(prev_comm)                                   fields are kept beside the greatest value
    onchange($state).snapshot()                                   a snapshot is taken
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.dynevent.synthetic import SyntheticEvent
from emu.ftrace.hist.hist_field import HistField
from emu.ftrace.hist.map import HEADER, HistMap
from emu.ftrace.hist.parse import Action, ActionKind, Handler
from emu.ftrace.hist.program import ElementLayout, Program
from emu.ftrace.native import hist_record
from emu.ftrace.native.trace_records import TraceArray
from emu.native.records import Bytes

if TYPE_CHECKING:
    from emu.ftrace.native.hist_actions import ActionHandlers

__all__ = ["HistAction", "HistActions", "Tracked"]

_WORD = 8  # bytes


@dataclass(frozen=True)
class HistAction:
    """An action whose names have been found.

    Attributes:
        action: what was written.
        subject: the variable that decides, of the trigger itself; None: onmatch.
        values: what the synthetic event's fields become, or what is kept.
        event: the synthetic event, of ActionKind.TRACE.
    """

    action: Action
    subject: HistField | None
    values: Sequence[HistField]
    event: SyntheticEvent | None

    @property
    def rooms(self) -> Sequence[int]:
        """Bytes of what it keeps for each key: the value that decided last, and the fields."""
        fields = self.values if self.action.kind is ActionKind.SAVE else []
        return [*[_WORD] * (self.subject is not None), *(field.kept_room for field in fields)]


@dataclass(frozen=True)
class Tracked:
    """What an action keeps for each key, and the table shows. `place`: which of the words that an element keeps."""

    label: str  # `max` or `changed`
    place: int
    saved: Sequence[tuple[HistField, int]]


class HistActions:
    """The actions of one histogram, in their order.

    Args:
        actions: those.
        taken: what is called, the last first, when they are gone: it gives back what they have taken.
    """

    def __init__(self, actions: Sequence[HistAction] = (), taken: Sequence[Callable[[], None]] = ()) -> None:
        self._actions = actions
        self._taken = taken
        self._records: list[hist_record.Action] = []
        self._snapshot: tuple[HistAction, hist_record.Action, NDArray[np.uint64]] | None = None

    def __iter__(self) -> Iterator[HistAction]:
        return iter(self._actions)

    @property
    def fields(self) -> Sequence[HistField]:
        """All that they look at."""
        return [field for one in self._actions for field in one.values]

    @property
    def rooms(self) -> Sequence[int]:
        """Bytes of all that they keep for each key."""
        return [room for one in self._actions for room in one.rooms]

    def compile(
        self, program: Program, layout: ElementLayout, table: HistMap, array: TraceArray, handlers: ActionHandlers
    ) -> None:
        """Has a program do them, behind what it does for its table."""
        for one, places in self._placed(layout):
            if one.subject is None:
                self._do(one, places, program, table, array, handlers)
                continue
            operation = hist_record.ON_MAX if one.action.handler is Handler.ON_MAX else hist_record.ON_CHANGE
            with program.only_if(operation, places[0], program.value(one.subject.expression)):
                self._do(one, places, program, table, array, handlers)

    def _placed(self, layout: ElementLayout) -> Iterator[tuple[HistAction, Sequence[int]]]:
        """The actions, and where an element has what each keeps."""
        kept = iter(layout.kept)
        for one in self._actions:
            yield one, [next(kept) for _ in one.rooms]

    def _do(
        self,
        one: HistAction,
        places: Sequence[int],
        program: Program,
        table: HistMap,
        array: TraceArray,
        handlers: ActionHandlers,
    ) -> None:
        if one.action.kind is ActionKind.SAVE:
            for field, to in zip(one.values, places[1:], strict=True):
                program.set(field, to, 0)
            return
        record = hist_record.Action.allocate()
        record.histogram, record.array = table.record, array
        self._records.append(record)
        if one.event is not None:
            record.act, record.event = handlers.synthetic, one.event.record
            record.values = program.values([field.expression for field in one.values])
        else:
            element = np.zeros(table.record.element_size // _WORD, np.uint64)
            record.act, record.element = handlers.snapshot, Bytes(element.ctypes.data)
            record.tracked, record.on_change = places[0], one.action.handler is Handler.ON_CHANGE
            self._snapshot = one, record, element
        program.step(hist_record.CALL).action = record

    def tracked(self, layout: ElementLayout) -> Sequence[Tracked]:
        """What the table shows of them. As in Linux, the saved fields follow each value."""
        placed = list(self._placed(layout))
        saved = [
            field_and_place
            for one, places in placed
            if one.action.kind is ActionKind.SAVE
            for field_and_place in zip(one.values, places[1:], strict=True)
        ]
        labels = {Handler.ON_MAX: "max", Handler.ON_CHANGE: "changed"}
        return [
            Tracked(labels[one.action.handler], places[0], saved)
            for one, places in placed
            if one.subject is not None and one.action.kind is not ActionKind.SNAPSHOT
        ]

    @property
    def snapshot(self) -> tuple[Action, int, NDArray[np.uint64]] | None:
        """The action that has taken a snapshot, the value that led to the latest one, and what the element kept. None: there is
        none."""
        if self._snapshot is None:
            return None
        one, record, element = self._snapshot
        return (one.action, record.latest, element[HEADER:]) if record.taken else None

    def release(self) -> None:
        """They are gone."""
        for give_back in reversed(self._taken):
            give_back()
        self._taken = ()
