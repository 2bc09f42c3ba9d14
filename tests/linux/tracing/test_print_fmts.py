# SPDX-License-Identifier: GPL-2.0-only
"""Print fmts and filters of all events of a Linux guest."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random

import pytest

from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall, EventKind
from emu.ftrace.event.print_fmt import PrintFmtError, compile_print_fmt
from emu.ftrace.event.statement_expressions import without_statements
from emu.linux.machine import LinuxMachine
from tests.lib.filter_texts import random_text

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

RECORDS = 5
# They call functions of the kernel about hardware that the guest does not have.
NOT_PRINTED = {
    "nvme:nvme_sq", "nvme:nvme_complete_rq", "nvme:nvme_setup_cmd", "xen:xen_mc_extend_args", "xen:xen_mc_entry",
    "intel_iommu:prq_report", "ras:mc_event", "ras:extlog_mem_event",
}  # fmt: skip


class Guest:
    """What a text needs besides the entry."""

    def __init__(self, machine: LinuxMachine) -> None:
        found = machine.trace_array.globals.kernel_values
        self.values, self.constants = found.variables(), found.constants

    def symbol(self, address: int, *, offset: bool) -> str:
        return f"{address:x}{'+0' * offset}"

    def string(self, address: int) -> str:
        return f"{address:x}"

    pointer = string


def events_of(machine: LinuxMachine) -> Iterator[EventCall]:
    events = machine.trace_array.globals.events.values()
    return (call for call in events if call.kind is EventKind.TRACEPOINT)


@pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.long("a part shows most"))])
def test_whatever_is_recorded_is_printed(shared: LinuxMachine, step: int) -> None:
    """Entries whose bytes are random, and may be longer than their fields."""
    guest, random, refused, printed = Guest(shared), Random(1), set(), 0
    for call in itertools.islice(events_of(shared), 0, None, step):
        try:
            text = compile_print_fmt(call, guest.values, guest.constants)
        except PrintFmtError:
            refused.add(call.path)
            continue
        for _ in range(RECORDS):
            assert isinstance(text(random.randbytes(call.size + random.randrange(64)), guest), str)
            printed += 1
    assert refused <= NOT_PRINTED and printed > RECORDS * 500 // step


def test_enumerators_have_their_values(shared: LinuxMachine) -> None:
    """Not all are replaced by the kernel when it boots."""
    guest = Guest(shared)
    names = "TCP_ESTABLISHED", "TCP_CLOSE", "HRTIMER_MODE_REL", "FAULT_FLAG_WRITE"
    assert [guest.constants[name] for name in names] == [1, 7, 1, 1]
    assert guest.constants["sizeof(struct page)"] == 64 and guest.constants["HZ"] == 250
    assert "NOSUCH" not in guest.constants and "sizeof(struct nosuch)" not in guest.constants
    assert guest.values["vmemmap_base"] == 0xFFFFEA0000000000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a, b", "a,b"),
        ("({ int x = (REC->n); int y = x; (x < y); })", "((((REC->n))<(((REC->n)))))"),
        ('1, ({ u8 x = ({ int z = (2); z + 1; }); x; }), "({ 1; })"', '1,(((((2))+1))),"({1;})"'),
    ],
)
def test_statement_expressions(text: str, expected: str) -> None:
    assert without_statements(text).replace(" ", "") == expected


@pytest.mark.parametrize("text", ["({ f(); (x); })", "({ int x = (1);", "({ })"])
def test_statement_expressions_that_are_none(text: str) -> None:
    with pytest.raises(PrintFmtError):
        without_statements(text)


# Filters


def filter_of(call: EventCall, random: Random) -> str:
    """A random filter: of random words, or about the event's own fields."""
    if random.random() < 0.3 or not call.fields:
        return random_text(random)

    def predicate() -> str:
        name = random.choice([*(field.name for field in call.fields), "common_pid", "comm", "cpu", "nosuch"])
        name += random.choice(["", "", "", ".ustring", ".function", ".x"])
        operator = random.choice(["==", "!=", "<", ">=", "&", "~", "=", ""])
        operand = random.choice(["0", "-1", "0x7f", "abc", '"a*"', "vfs_read", "18446744073709551616", ""])
        return f"{name} {operator} {operand}"

    parts = [predicate() for _ in range(random.randrange(1, 4))]
    joined = f" {random.choice(['&&', '||', '|', ''])} ".join(parts)
    return random.choice([joined, f"!({joined})", f"({joined}", f"{joined} &&"])


@pytest.mark.parametrize("count", [300, pytest.param(2_000, marks=pytest.mark.long("a few show most"))])
def test_random_filters(shared: LinuxMachine, count: int) -> None:
    """Each is taken, or refused with a place in its text, for error_log."""
    random, shared_by_all = Random(7), shared.trace_array.globals
    calls = [*shared_by_all.events.values()]
    taken = refused = 0
    for call in itertools.islice(itertools.cycle(random.sample(calls, len(calls))), count):
        text = filter_of(call, random)
        try:
            shared_by_all.event_filter(call, text)
            taken += 1
        except TraceError as error:
            assert error.errno and error.why and error.logged is not None, (call.path, text)
            assert 0 <= error.logged.position <= len(text) + 1, (call.path, text)
            refused += 1
    assert taken > count // 50 and refused > count // 4
