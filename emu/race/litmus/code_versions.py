# SPDX-License-Identifier: GPL-2.0-only
"""The past contents of the code's memory that a CPU may still fetch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from emu.race.scenario.fetch import Fetch, View, Views
from emu.race.scenario.fetch_model import FetchModel

__all__ = ["CodeMemory", "CodeState", "Own"]

_MOST_VIEWS = 1 << 12  # cached for one search


class Own(NamedTuple):
    """A byte of code that a CPU has stored itself, through the linear address at which it fetches.

    Attributes:
        offset: from the start of the code.
        version: the version of memory since its store.
        jumped: whether the CPU has jumped since: then it does not fetch an older version of this byte.
    """

    offset: int
    version: int
    jumped: bool


class CodeState(NamedTuple):
    """The code at one moment. States with the same possible fetches are equal.

    Attributes:
        versions: the contents of memory over time, oldest first; the last one is the present contents.
        views: the versions that each CPU may still see (`Views`).
        own: for each CPU, its own stores that it may not have fetched yet.
    """

    versions: tuple[bytes, ...]
    views: tuple[View, ...]
    own: tuple[tuple[Own, ...], ...]

    @property
    def now(self) -> bytes:
        return self.versions[-1]


class CodeMemory:
    """The rules of one fetch model for a region of code.

    Args:
        model: the fetch model.
        start: the address of the first byte.
    """

    def __init__(self, model: FetchModel, start: int) -> None:
        self._model = model
        self._start = start
        self._views: dict[tuple[bytes, ...], Views] = {}

    def begin(self, code: bytes, cpus: int) -> CodeState:
        """The initial state: every CPU sees the present contents of memory."""
        return CodeState((code,), (self._of((code,)).synchronised(0),) * cpus, ((),) * cpus)

    def _of(self, versions: tuple[bytes, ...]) -> Views:
        if versions not in self._views:
            if len(self._views) >= _MOST_VIEWS:
                self._views.clear()
            self._views[versions] = Views(self._model, self._start, versions)
        return self._views[versions]

    def pieces(self, address: int, data: bytes) -> Iterator[tuple[int, bytes]]:
        """A store to code, as the parts that become visible one by one (`FetchModel.store`)."""
        while data:
            size = self._model.store - address % self._model.store
            yield address, data[:size]
            address, data = address + size, data[size:]

    def stored(self, state: CodeState, cpu: int, address: int, data: bytes, own: bool, jumped: bool) -> CodeState:
        """A CPU's store has reached memory.

        Args:
            own: whether the CPU fetches it behind a jump.
            jumped: whether the CPU has jumped since it has executed the store.
        """
        at = address - self._start
        code = state.now[:at] + data + state.now[at + len(data) :]
        if code == state.now:
            return state
        stored = state.own
        if own and not self._model.coherent:
            new = [Own(n, len(state.versions), jumped) for n in range(at, at + len(data)) if code[n] != state.now[n]]
            kept = [before for before in stored[cpu] if not any(before.offset == one.offset for one in new)]
            stored = (*stored[:cpu], tuple(sorted([*kept, *new])), *stored[cpu + 1 :])
        return self._tidy((*state.versions, code), state.views, stored)

    def jumped(self, state: CodeState, cpu: int) -> CodeState:
        """A CPU has jumped."""
        if all(one.jumped for one in state.own[cpu]):
            return state
        own = tuple(one._replace(jumped=True) for one in state.own[cpu])
        return state._replace(own=(*state.own[:cpu], own, *state.own[cpu + 1 :]))

    def seen(self, state: CodeState, cpu: int, view: View) -> CodeState:
        """A CPU's view has changed."""
        if view == state.views[cpu]:
            return state
        return self._tidy(state.versions, (*state.views[:cpu], view, *state.views[cpu + 1 :]), state.own)

    def synchronised(self, state: CodeState, cpu: int) -> CodeState:
        """A CPU sees only the present contents of memory."""
        state = state._replace(own=(*state.own[:cpu], (), *state.own[cpu + 1 :]))
        return self.seen(state, cpu, self._of(state.versions).synchronised(len(state.versions) - 1))

    def _tidy(self, versions: tuple[bytes, ...], views: tuple[View, ...], own: tuple[tuple[Own, ...], ...]) -> CodeState:
        """Removes versions that no CPU can see any more."""
        if self._model.coherent:
            return CodeState(versions[-1:], views, own)
        if self._model.monotone:
            return self._without_old(versions, views, own)
        # A CPU may go back: versions that occur again later need not be kept.
        kept = [n for n, code in enumerate(versions) if n >= min(views)[0] and code not in versions[n + 1 :]]

        def renumbered(version: int) -> int:
            return sum(n < version for n in kept)

        after = [[one._replace(version=renumbered(one.version)) for one in stored] for stored in own]
        oldest = [renumbered(oldest) for (oldest,) in views]
        newer = (tuple(one for one in stored if one.version > least) for stored, least in zip(after, oldest, strict=True))
        return CodeState(tuple(versions[n] for n in kept), tuple((least,) for least in oldest), tuple(newer))

    def _without_old(self, versions: tuple[bytes, ...], views: tuple[View, ...], own: tuple[tuple[Own, ...], ...]) -> CodeState:
        """Drops versions of which no CPU can still see any unit, for a monotone model."""
        drop = len(versions) - 1
        for number, (begin, end) in enumerate(self._of(versions).units):
            part = slice(begin - self._start, end - self._start)
            for oldest in {view[number] for view in views}:
                newest = oldest  # among those with equal contents
                while newest < drop and versions[newest + 1][part] == versions[oldest][part]:
                    newest += 1
                drop = min(drop, newest)
        return CodeState(
            versions[drop:],
            tuple(tuple(max(oldest - drop, 0) for oldest in view) for view in views),
            tuple(tuple(one._replace(version=one.version - drop) for one in stored if one.version > drop) for stored in own),
        )

    def fetches(self, state: CodeState, cpu: int, address: int, size: int, length: Callable[[bytes], int]) -> Iterator[Fetch]:
        """Every instruction that a CPU may fetch, newest first, with the view afterwards.

        Args:
            size: maximum number of bytes of an instruction at `address`.
            length: returns the size of the instruction at the start of some bytes; 0 if it is incomplete or invalid.
        """
        end = min(address + size, self._start + len(state.now))
        here = slice(address - self._start, end - self._start)
        code, view = state.now[here], state.views[cpu]
        if all(version[here] == code for version in state.versions):
            yield Fetch(code[: length(code) or None], view, ())
            return
        oldest = {one.offset + self._start: one.version for one in state.own[cpu] if one.jumped}
        found = self._instructions(state, view, address, end, length, oldest)
        if self._model.monotone:  # of versions with equal contents, the oldest permits everything that newer ones do
            yield from {fetch.code: fetch for fetch in found}.values()
            return
        seen = set()
        for fetch in found:
            if fetch.code not in seen:
                seen.add(fetch.code)
                yield fetch

    def _instructions(
        self, state: CodeState, view: View, address: int, end: int, length: Callable[[bytes], int],
        oldest: Mapping[int, int], before: bytes = b"",
    ) -> Iterator[Fetch]:  # fmt: skip
        """The same with repetitions: fetches unit by unit until an instruction is complete.

        Args:
            oldest: by address, the oldest version of a byte that is seen, if it is not that of the view.
            before: the bytes so far.
        """
        views = self._of(state.versions)
        stop = min(end, next(stop for _, stop in views.units if stop > address))
        least = max((version for at, version in oldest.items() if address <= at < stop), default=0)
        for fetch in views.fetches(view, len(state.versions) - 1, address, stop - address):
            if fetch.versions and fetch.versions[0] < least:
                continue
            code = before + fetch.code
            size = length(code)
            if size or stop == end:
                yield fetch._replace(code=code[: size or None])
            else:
                for more in self._instructions(state, fetch.view, stop, end, length, oldest, code):
                    yield more._replace(versions=(*fetch.versions, *more.versions))
