# SPDX-License-Identifier: GPL-2.0-only
"""The text of histograms printed by a real kernel, byte for byte: it is parsed into a table and printed again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.hist.definition import HistDefinition
from emu.ftrace.hist.expression import Modifier
from emu.ftrace.hist.text import HistNames, hist_text
from emu.ftrace.symbols import Symbol
from tests.lib.golden import read_golden

TABLES = {
    "hist-switch-comm": "sched:sched_switch", "hist-switch-filter": "sched:sched_switch", "hist-pause": "sched:sched_switch",
    "hist-cleared": "sched:sched_switch", "hist-trigger-live": "sched:sched_switch", "hist-timestamp": "sched:sched_wakeup",
    "hist-sysenter": "raw_syscalls:sys_enter", "hist-sysenter-comm": "raw_syscalls:sys_enter",
    "hist-read-count": "syscalls:sys_enter_read",
    **{f"hist-kmalloc-{name}": "kmem:kmalloc" for name in (
        "buckets", "callsite-sym", "callsite", "compound", "hex", "log2", "stacktrace", "symoffset")},
}  # fmt: skip
ROW = re.compile(r"^\{ .*?\}.*?$", re.MULTILINE | re.DOTALL)


class Table(NamedTuple):
    """The printed values of a histogram's table."""

    hitcounts: NDArray[np.uint64]
    elements: NDArray[np.uint64]
    hits: int
    drops: int


class Symbols:
    """The functions of the golden's kernel, at the addresses that it shows; those of stacks get made-up addresses."""

    def __init__(self, text: str) -> None:
        self.known = {int(address, 16): name for address, name in re.findall(r"\[([0-9a-f]{8,})\] (\S+)", text)}
        names = re.findall(r"^ {9}(\S+)$", text, re.MULTILINE)
        self.addresses = {name: number for number, name in enumerate(dict.fromkeys(names), 1)}
        self.known |= {number: name for name, number in self.addresses.items()}

    def lookup(self, addresses: NDArray[np.uint64]) -> Sequence[Symbol | None]:
        return [self._symbol(self.known[address]) if address else None for address in addresses.tolist()]

    def _symbol(self, text: str) -> Symbol:
        name, _, place = text.partition("+")
        offset, _, size = place.partition("/")
        return Symbol(name, int(offset or "0", 16), int(size or "0", 16))


def words(text: bytes, size: int) -> list[int]:
    return np.frombuffer(text.ljust(size, b"\0"), np.uint64).tolist()


def element(row: str, definition: HistDefinition, symbols: Symbols) -> tuple[int, NDArray[np.uint64]]:
    """The hitcount and the words of the table's element for one row of text."""
    layout = definition.layout()
    made = np.zeros(layout.size, np.uint64)
    inner, sums = row.removeprefix("{ ").rsplit("}", 1)
    comm = b""
    for key, at, text in zip(definition.keys, layout.keys, re.split(r", (?=\w+: )", inner), strict=True):
        shown = text.partition(": ")[2]
        if key.is_stacktrace:
            found = [symbols.addresses[line.strip()] for line in text.splitlines()[1:]]
        elif key.is_string:
            found = words(shown.strip().encode(), key.room)
        elif key.modifier in (Modifier.EXECNAME, Modifier.SYSCALL):
            name, number = re.fullmatch(r"(\S+) *\[ *(\d+)\] ?", shown).groups()  # type: ignore[union-attr]  # the text is there
            found, comm = [int(number)], name.encode() if key.modifier is Modifier.EXECNAME else comm
        else:
            base = 16 if key.modifier in (Modifier.HEX, Modifier.SYM, Modifier.SYM_OFFSET) else 10
            found = [int(re.search(r"[0-9a-f]+", shown.replace("2^", ""))[0], base)]  # type: ignore[index]  # it is there
        made[at : at + len(found)] = found
    hitcount, *values = re.findall(r"(\w+): +([0-9a-f]+)", sums)
    for value, at, (_, number) in zip(definition.values, layout.values, values, strict=True):
        made[at] = int(number, 16 if value.modifier is Modifier.HEX else 10)
    if layout.comm:
        made[layout.comm : layout.comm + 2] = words(comm, 16)
    return int(hitcount[1]), made


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_printed_as_linux_does(trace_array: TraceArray, name: str) -> None:
    golden = read_golden(f"{name}.txt")
    golden = golden[golden.index("# event histogram") :]
    (shown,) = re.findall(r"^# trigger info: (hist:.*)$", golden, re.MULTILINE)
    call = trace_array.recorder.globals.events.find(*TABLES[name].split(":"))
    assert call is not None
    trace_array.edit_triggers(call, shown.removesuffix(" [active]").replace(" [paused]", ":pause"))
    file = trace_array.event_files.get(call)
    assert file is not None
    (trigger,) = file.triggers
    assert str(trigger) == shown

    symbols = Symbols(golden)
    rows = [element(row, trigger.definition, symbols) for row in ROW.findall(golden)]
    hitcounts = np.array([hitcount for hitcount, _ in rows], np.uint64)
    elements = np.array([kept for _, kept in rows], np.uint64).reshape(len(rows), trigger.definition.layout().size)
    hits, drops = (int(re.search(rf"{word}: (\d+)", golden)[1]) for word in ("Hits", "Dropped"))  # type: ignore[index]
    syscalls = {int(number): name for name, number in re.findall(r"(sys_\w+) +\[ *(\d+)\]", golden)}
    names = HistNames(symbols, syscalls.get)
    assert hits == hitcounts.sum()
    assert "".join(hist_text(shown, trigger.definition, Table(hitcounts, elements, hits, drops), names)) == golden


def test_what_that_kernel_refuses_is_refused(trace_array: TraceArray) -> None:
    (text, system, event), = re.findall(r"FAILED: (hist:.*) on (\w+)/(\w+)", read_golden("hist-failed.txt"))
    call = trace_array.recorder.globals.events.find(system, event)
    assert call is not None
    with pytest.raises(OSError, match="EINVAL"):
        trace_array.edit_triggers(call, text)
    assert trace_array.triggers.text(call) == read_golden("hist-removed-trigger.txt")
    assert "".join(trace_array.triggers.hists.text(call)) == read_golden("hist-none.txt") == ""
