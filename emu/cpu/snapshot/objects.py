# SPDX-License-Identifier: GPL-2.0-only
"""The Python objects of a machine: all that can be reached from some roots, and how they are put back.

Objects are put back in place: whoever holds one still holds the same one. So a list to which a native pointer or a bound
method leads stays that list.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from emu.cpu.snapshot.kinds import ATOMS, MEMORY, Kind, Thing, Unsaveable, kind_of, memory_of
from emu.cpu.snapshot.pages import Memory

__all__ = ["Contents", "Objects"]

_MOST_CONSTANTS = 10_000


class _Known(NamedTuple):
    """An object whose content can change, and what that is."""

    thing: Thing
    kind: Kind
    content: Thing


Contents = dict[int, _Known]
"""What some objects hold, by their ids. It keeps them, and all to which they refer, alive."""


class Objects:
    """The objects that can be reached from `roots`, and at the base what each holds.

    Args:
        roots: where to begin.
        apart: objects that are looked after elsewhere: nothing is remembered of them, nor of what only they refer to.

    Attributes:
        memory: large memory at the base. It is the caller's to save and to put back.

    Raises:
        Unsaveable: there is something that cannot be put back.
    """

    def __init__(self, roots: Sequence[object], apart: Collection[object] = ()) -> None:
        self._apart = apart  # kept alive, or another object could get such an id
        self._seen = {id(thing) for thing in apart}
        self._base: Contents = {}
        self._constants: list[Thing] = []
        found, seen = self._reached(roots)
        self._seen |= seen
        self._base = {key: known for key, known in found.items() if known.kind is not MEMORY}
        self.memory: list[Memory] = [memory_of(known.thing) for known in found.values() if known.kind is MEMORY]

    def changed(self) -> set[int]:
        """The ids of the objects that do not hold what they held at the base."""
        return {key for key, (thing, kind, content) in self._base.items() if not kind.same(thing, content)}

    def save(self, keys: Iterable[int]) -> Contents:
        """What some objects of the base hold, and all objects that can be reached from them but were not there then.

        Raises:
            Unsaveable: there is something that cannot be put back.
        """
        if len(self._constants) > _MOST_CONSTANTS:
            self._seen.difference_update(map(id, self._constants))
            self._constants.clear()
        return self._reached([self._base[key].thing for key in keys], self._constants)[0]

    def put_back(self, contents: Contents) -> None:
        """Stores what `save` has returned. All other objects stay as they are."""
        for thing, kind, content in contents.values():
            kind.put_back(thing, content)

    def back_to_base(self, keys: Iterable[int]) -> None:
        """Some objects hold again what they held at the base."""
        for key in keys:
            thing, kind, content = self._base[key]
            kind.put_back(thing, content)

    def _reached(self, start: Sequence[object], constants: list[Thing] | None = None) -> tuple[Contents, set[int]]:
        """The contents of `start` and of what it leads to, not through the objects of the base; the ids of all of these.

        What never changes and leads to nothing else need not be looked at again: it joins `constants`.
        """
        found: Contents = {}
        known, seen = self._seen, set[int]()
        todo: list[Thing] = list(start)
        alive: list[Thing] = []  # until the end, or another object could get such an id
        while todo:
            thing = todo.pop()
            key = id(thing)
            if key in seen:
                continue
            seen.add(key)
            try:
                kind = kind_of(type(thing))
            except Unsaveable as error:
                raise Unsaveable(f"{error}{_holder(thing, alive)}") from None
            alive.append(thing)
            parts, copy, _, _ = kind
            if copy is not None:
                found[key] = _Known(thing, kind, copy(thing))
            further = [part for part in parts(thing) if type(part) not in ATOMS and id(part) not in known]
            todo += further
            if constants is not None and copy is None and not further:
                constants.append(thing)
                known.add(key)
        return found, seen


def _holder(thing: object, visited: Iterable[Thing]) -> str:
    """Says which object refers to one."""
    for other in visited:
        if any(part is thing for part in kind_of(type(other)).parts(other)):
            return f", which a {type(other).__qualname__} holds"
    return ""
