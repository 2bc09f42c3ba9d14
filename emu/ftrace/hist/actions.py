# SPDX-License-Identifier: GPL-2.0-only
"""Actions of histograms: what else happens when an event is counted.

    onmatch(sched.sched_waking).wakeup_latency($lat,next_pid)     generates a synthetic event
    onmax($lat).save(prev_comm)                                   saves fields along with the greatest value
    onchange($state).snapshot()                                   takes a snapshot
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
    """An action whose names have been resolved.

    Attributes:
        action: the parsed action.
        subject: the trigger's own variable that the handler watches; None for onmatch.
        values: the values of the synthetic event's fields, or the values to save.
        event: the synthetic event, for ActionKind.TRACE.
    """

    action: Action
    subject: HistField | None
    values: Sequence[HistField]
    event: SyntheticEvent | None

    @property
    def rooms(self) -> Sequence[int]:
        """The bytes that it keeps for each key: the last value that triggered it, and the fields."""
        fields = self.values if self.action.kind is ActionKind.SAVE else []
        return [*[_WORD] * (self.subject is not None), *(field.kept_room for field in fields)]


@dataclass(frozen=True)
class Tracked:
    """A value that an action keeps for each key and the table shows. `place`: its index among an element's kept words."""

    label: str  # `max` or `changed`
    place: int
    saved: Sequence[tuple[HistField, int]]


class HistActions:
    """The actions of one histogram, in order.

    Args:
        actions: the actions.
        taken: functions that release what the actions use, called in reverse order when the actions are gone.
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
        """All values that they read."""
        return [field for one in self._actions for field in one.values]

    @property
    def rooms(self) -> Sequence[int]:
        """The bytes of everything that they keep for each key."""
        return [room for one in self._actions for room in one.rooms]

    def compile(
        self, program: Program, layout: ElementLayout, table: HistMap, array: TraceArray, handlers: ActionHandlers
    ) -> None:
        """Adds the actions to a program, after its updates of the table."""
        for one, places in self._placed(layout):
            if one.subject is None:
                self._do(one, places, program, table, array, handlers)
                continue
            operation = hist_record.ON_MAX if one.action.handler is Handler.ON_MAX else hist_record.ON_CHANGE
            with program.only_if(operation, places[0], program.value(one.subject.expression)):
                self._do(one, places, program, table, array, handlers)

    def _placed(self, layout: ElementLayout) -> Iterator[tuple[HistAction, Sequence[int]]]:
        """The actions, and the places in an element of what each keeps."""
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
        """What the table shows of the actions. As in Linux, the saved fields follow each value."""
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
        """The action that has taken a snapshot, the value that triggered the latest one, and what the element kept. None if there
        is none."""
        if self._snapshot is None:
            return None
        one, record, element = self._snapshot
        return (one.action, record.latest, element[HEADER:]) if record.taken else None

    def release(self) -> None:
        """Releases what the actions use."""
        for give_back in reversed(self._taken):
            give_back()
        self._taken = ()
