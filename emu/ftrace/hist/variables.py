# SPDX-License-Identifier: GPL-2.0-only
"""Variables of histograms: resolves references, and tracks which triggers need which histograms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from emu.ftrace.event.call import EventCall
from emu.ftrace.hist.expression import Reference
from emu.ftrace.hist.hist_field import HistField
from emu.ftrace.hist.hist_source import HistSource
from emu.ftrace.hist.parse import Handler, HistCommand
from emu.ftrace.native import hist_record

__all__ = ["HistVariable", "HistVariables", "References"]

_NOT_UNIQUE = "Variable name not unique, need to use fully qualified name (subsys.event.var) for variable"
_NOT_FOUND = "Couldn't find variable"
_NO_FIELD = "Couldn't find field"

_OPERATOR = re.compile(r"(?<!\.sym)-|[+*/]")  # the "-" of .sym-offset is not an operator


class Layout(Protocol):
    """The layout of a histogram's elements, as far as variables need it (`hist.program.ElementLayout`)."""

    @property
    def variables(self) -> Sequence[int]: ...


class Definition(Protocol):
    """The definition of a histogram, as far as variables need it."""

    @property
    def call(self) -> EventCall: ...

    @property
    def variables(self) -> Mapping[str, HistField]: ...

    @property
    def references(self) -> References: ...

    def layout(self) -> Layout: ...


class Histogram(Protocol):
    """A histogram, as far as variables need it."""

    @property
    def definition(self) -> Definition: ...

    @property
    def record(self) -> hist_record.Histogram: ...

    @property
    def number(self) -> int: ...


class HistTrigger(Protocol):
    """A hist trigger, as far as variables need it."""

    @property
    def definition(self) -> Definition: ...

    @property
    def histogram(self) -> Histogram: ...


@dataclass(frozen=True)
class HistVariable:
    """A variable of `histogram`."""

    histogram: Histogram
    name: str

    @property
    def field(self) -> HistField:
        return self.histogram.definition.variables[self.name]

    def as_field(self, reference: Reference) -> HistField:
        """A reference to it, as a field."""
        return replace(self.field, expression=reference)

    @property
    def number(self) -> int:
        """Its index among the histogram's variables."""
        return list(self.histogram.definition.variables).index(self.name)


class HistVariables:
    """The variables of all histograms of one trace array. `triggers`: returns its hist triggers."""

    def __init__(self, triggers: Callable[[], Iterable[HistTrigger]]) -> None:
        self._triggers = triggers

    def names(self, call: EventCall) -> set[str]:
        """The names of variables in an event's histograms."""
        return {name for trigger in self._triggers() if trigger.definition.call is call for name in trigger.definition.variables}

    def of_event(self, system: str, event: str, name: str) -> HistVariable | None:
        """The variable with a name in an event's histograms; None if there is none."""
        return next((variable for call, variable in self._named(name) if (call.system, call.name) == (system, event)), None)

    def find(
        self, source: HistSource, name: str, system: str, event: str, matched: Iterable[tuple[str, str]], *, removes: bool
    ) -> HistVariable | None:
        """Resolves a reference. None if there is no such variable.

        Args:
            source: the trigger with the reference.
            name: the variable's name.
            system, event: the variable's event; "" if not given.
            matched: systems and names of the events matched by the trigger's actions, which take precedence.
            removes: the trigger will be removed, so any match is good enough.

        Raises:
            TraceError: EINVAL: several events have such a variable.
        """
        if system:
            return self.of_event(system, event, name)
        of_matched = [found for one in matched if (found := self.of_event(*one, name)) is not None]
        if not of_matched:
            of_matched = list(dict(reversed(list(self._named(name)))).values())
        if len(of_matched) > 1 and not removes:
            raise source.error(_NOT_UNIQUE, name)
        return of_matched[0] if of_matched else None

    def _named(self, name: str) -> Iterator[tuple[EventCall, HistVariable]]:
        """The variables with a name, and their events."""
        for trigger in self._triggers():
            if name in trigger.definition.variables:
                yield trigger.definition.call, HistVariable(trigger.histogram, name)

    def need(self, histogram: Histogram) -> bool:
        """Whether another histogram refers to this one's variables."""
        others = (trigger.histogram for trigger in self._triggers())
        return any(other is not histogram and other.definition.references.need(histogram) for other in others)


class References:
    """The resolved references of one hist trigger (Linux: hist_data->var_refs).

    Args:
        call: the event.
        command: the trigger.
        variables: the array's variables.
        removes: see `HistVariables.find`.
    """

    def __init__(self, call: EventCall, command: HistCommand, variables: HistVariables, *, removes: bool) -> None:
        self._call = call
        self._removes = removes
        self._definitions = dict(command.variables)
        self._matched = [
            (system, event)
            for action in command.actions
            if action.handler is Handler.ON_MATCH
            for system, _, event in [action.subject.partition(".")]
        ]
        self._variables = variables
        self._found: dict[Reference, HistVariable] = {}
        self._read_once: set[HistVariable] = set()

    def own(self, reference: Reference) -> str | None:
        """The definition of the trigger's own variable, if it is an alias of a field or a constant; otherwise None."""
        if reference.system and (reference.system, reference.event) != (self._call.system, self._call.name):
            return None
        text = self._definitions.get(reference.name)
        return None if text is None or text.startswith("$") or _OPERATOR.search(text) else text

    def find(self, source: HistSource, reference: Reference, *, once: bool) -> HistVariable:
        """A variable of another trigger. `once`: reading it unsets it.

        Raises:
            TraceError: EINVAL: there is none, or several events have one.
        """
        found = self.seek(source, reference.name, reference.system, reference.event)
        if found is None:
            raise source.then(source.error(_NOT_FOUND, reference.name), _NO_FIELD, reference.text)
        self.add(reference, found)
        if once:
            self._read_once.add(found)
        return found

    def seek(self, source: HistSource, name: str, system: str, event: str) -> HistVariable | None:
        """A variable of another trigger; None if there is none. Raises TraceError: EINVAL: several events have one."""
        return self._variables.find(source, name, system, event, self._matched, removes=self._removes)

    def add(self, reference: Reference, variable: HistVariable) -> None:
        """Records a resolved reference."""
        self._found[reference] = variable

    def __iter__(self) -> Iterator[HistVariable]:
        """The referenced variables, each once."""
        return iter(dict.fromkeys(self._found.values()))

    def need(self, histogram: Histogram) -> bool:
        """Whether a reference is to a variable of this histogram."""
        return any(variable.histogram is histogram for variable in self._found.values())

    def by_histogram(self) -> Mapping[Histogram, Mapping[HistVariable, Sequence[Reference]]]:
        """The referenced variables, by histogram, with their references."""
        found: dict[Histogram, dict[HistVariable, list[Reference]]] = {}
        for reference, variable in self._found.items():
            found.setdefault(variable.histogram, {}).setdefault(variable, []).append(reference)
        return found

    def is_read_once(self, variable: HistVariable) -> bool:
        return variable in self._read_once
