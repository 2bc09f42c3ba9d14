# SPDX-License-Identifier: GPL-2.0-only
"""The text of histograms, for the file `hist` of an event."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.hist.definition import HistDefinition
from emu.ftrace.hist.expression import FieldName, Modifier
from emu.ftrace.hist.hist_field import HistField
from emu.ftrace.hist.map import HistMap
from emu.ftrace.hist.parse import SortKey
from emu.ftrace.hist.program import ElementLayout
from emu.ftrace.symbols import Symbols

__all__ = ["HistNames", "hist_text"]

_WORD = 8  # bytes
_SYMBOL_WIDTH, _OFFSET_WIDTH = 45, 55

Words = NDArray[np.uint64]
Column = list[str]


class HistNames(NamedTuple):
    """Names for numbers."""

    symbols: Symbols
    syscall: Callable[[int], str | None]  # a system call's name, by number


def hist_text(shown: str, definition: HistDefinition, table: HistMap, names: HistNames) -> Iterator[str]:
    """The text of a table, in pieces. `shown`: the trigger's line in the file `trigger`."""
    yield f"# event histogram\n#\n# trigger info: {shown}\n#\n\n"
    layout, elements = definition.layout(), table.elements
    order = _order(definition, layout, table)
    elements = elements[order]
    keys = [_key_column(key, at, layout, elements, names) for key, at in zip(definition.keys, layout.keys, strict=True)]
    values = [table.hitcounts[order]]
    formats = [" hitcount: %10d"]
    for value, at in zip(definition.values, layout.values, strict=True):
        if isinstance(value.expression, FieldName):  # as in Linux, sums of expressions are not printed
            formats.append(f"  {value.name}: %10{'x' if value.modifier is Modifier.HEX else 'd'}")
            values.append(_column(elements, at))
    closing = "}" if definition.has_stack else " }"
    line = f"{{ %s{closing}{''.join(formats)}%s\n"
    sums = zip(*(column.tolist() for column in values), strict=True)
    for key, numbers, tracked in zip(zip(*keys, strict=True), sums, _tracked(definition, layout, elements), strict=True):
        yield line % (", ".join(key), *numbers, tracked)
    yield from _snapshot(definition, layout, names)
    yield f"\nTotals:\n    Hits: {table.hits}\n    Entries: {len(elements)}\n    Dropped: {table.drops}\n"


def _tracked(definition: HistDefinition, layout: ElementLayout, elements: Words) -> Column:
    """For each element, what actions keep: a line for each watched value."""
    texts = [""] * len(elements)
    for tracked in definition.actions.tracked(layout):
        saved = [_saved_column(field, at, elements) for field, at in tracked.saved]
        values = _column(elements, tracked.place).tolist()
        for row, value in enumerate(values):
            texts[row] += f"\n\t{tracked.label}: {value:>10}{''.join(column[row] for column in saved)}"
    return texts


def _saved_column(field: HistField, at: int, elements: Words) -> Column:
    if field.is_string:
        return [f"  {field.name}: {_text(text):<32}" for text in _strings(elements, at, field.kept_room).tolist()]
    return [f"  {field.name}: {number:>10}" for number in _column(elements, at).tolist()]


def _snapshot(definition: HistDefinition, layout: ElementLayout, names: HistNames) -> Iterator[str]:
    """The data that triggered the latest snapshot, if one was taken."""
    taken = definition.actions.snapshot
    if taken is not None:
        action, value, element = taken
        row = element[np.newaxis]
        keys = [_key_column(key, at, layout, row, names)[0] for key, at in zip(definition.keys, layout.keys, strict=True)]
        yield "\nSnapshot taken (see tracing/snapshot).  Details:\n"
        yield f"\ttriggering value {{ {action.handler.value}({action.subject}) }}: {value:>10}"
        yield f"\ttriggered by event with key: {{ {', '.join(keys)} }}\n"


def _text(data: bytes) -> str:
    return data.decode(errors="backslashreplace")


def _column(elements: Words, at: int) -> Words:
    return elements[:, at]


def _strings(elements: Words, at: int, room: int) -> NDArray[np.bytes_]:
    words = np.ascontiguousarray(elements[:, at : at + room // _WORD])
    return words.view(f"S{room}")[:, 0] if len(words) else np.empty(0, "S1")


# The order


def _order(definition: HistDefinition, layout: ElementLayout, table: HistMap) -> NDArray[np.intp]:
    """The sorted order. Elements with equal sort keys stay in the order in which their keys were added."""
    ranks = [_rank(sort, definition, layout, table) for sort in reversed(definition.sort)]
    return np.lexsort(ranks)


def _rank(sort: SortKey, definition: HistDefinition, layout: ElementLayout, table: HistMap) -> NDArray[np.intp]:
    """For each element, a number that increases with its sort key."""
    first_key, elements = 1 + len(definition.values), table.elements
    if sort.index < first_key:
        sums = [table.hitcounts, *(_column(elements, at) for at in layout.values)]
        rank: NDArray[np.intp] = np.unique(sums[sort.index], return_inverse=True)[1]
    else:
        key, at = definition.keys[sort.index - first_key], layout.keys[sort.index - first_key]
        column = _column(elements, at)
        content = _strings(elements, at, key.room) if key.is_string else column.view(np.int64) if key.signed else column
        rank = np.unique(content, return_inverse=True)[1]
    return -rank if sort.descending else rank


# Keys


def _key_column(key: HistField, at: int, layout: ElementLayout, elements: Words, names: HistNames) -> Column:
    """The text of one key of each element."""
    if key.is_stacktrace:
        return _stacks(elements[:, at : at + key.room // _WORD], names)
    if key.is_string:
        texts = (text.decode(errors="backslashreplace") for text in _strings(elements, at, key.room).tolist())
        return [f"{key.name}: {text:<50}" for text in texts]
    numbers = _column(elements, at).tolist()
    match key.modifier:
        case Modifier.HEX:
            return [f"{key.name}: {number:x}" for number in numbers]
        case Modifier.SYM:
            symbols = _symbols(_column(elements, at), names, offset=False)
            return [f"{key.name}: [{n:x}] {text:<{_SYMBOL_WIDTH}}" for n, text in zip(numbers, symbols, strict=True)]
        case Modifier.SYM_OFFSET:
            symbols = _symbols(_column(elements, at), names, offset=True)
            return [f"{key.name}: [{n:x}] {text:<{_OFFSET_WIDTH}}" for n, text in zip(numbers, symbols, strict=True)]
        case Modifier.EXECNAME:
            comms = (comm.decode(errors="backslashreplace") for comm in _strings(elements, layout.comm, 2 * _WORD).tolist())
            return [f"{key.name}: {comm:<16}[{number:>10}]" for number, comm in zip(numbers, comms, strict=True)]
        case Modifier.SYSCALL:
            return [f"{key.name}: {names.syscall(number) or 'unknown_syscall':<30}[{number:>3}]" for number in numbers]
        case Modifier.LOG2:
            return [f"{key.name}: ~ 2^{number:<2}" for number in numbers]
        case Modifier.BUCKETS:
            size = key.expression.buckets if isinstance(key.expression, FieldName) else 0
            return [f"{key.name}: ~ {number}-{number + size - 1}" for number in numbers]
    return [f"{key.name}: {number:>10}" for number in numbers]


def _symbols(addresses: Words, names: HistNames, *, offset: bool) -> Sequence[str]:
    found = names.symbols.lookup(addresses)
    return [
        (f"{symbol.name}+{symbol.offset:#x}/{symbol.size:#x}" if offset else symbol.name)
        + (f" [{symbol.module}]" if symbol.module else "")
        if symbol
        else f"{address:#x}"
        for address, symbol in zip(addresses.tolist(), found, strict=True)
    ]


def _stacks(stacks: Words, names: HistNames) -> Column:
    """For each stack, a line per call."""
    addresses, inverse = np.unique(stacks, return_inverse=True)
    texts = [f"         {text}\n" for text in _symbols(addresses, names, offset=True)]
    texts = ["" if address == 0 else text for address, text in zip(addresses.tolist(), texts, strict=True)]
    return [f"stacktrace:\n{''.join(texts[place] for place in row)}" for row in inverse.reshape(stacks.shape)]
