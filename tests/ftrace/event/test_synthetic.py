# SPDX-License-Identifier: GPL-2.0-only
"""Synthetic events: their definitions, the contents of their files, the text of their entries, and what pins them."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.ftrace.errors import TraceError
from emu.ftrace.event.synth_fields import SynthField, parse_fields
from emu.machine import Machine
from tests.lib.golden import read_golden

LATENCY = "wakeup_latency u64 lat; pid_t pid; int prio; char comm[16]"
EVENT = "events/synthetic/wakeup_latency"


@pytest.fixture(autouse=True)
def tidy(booted: Machine) -> Iterator[None]:
    yield
    tracefs = booted.tracefs
    tracefs.write("events/enable", "0")
    tracefs.write("synthetic_events", "")
    tracefs.write("error_log", "")
    assert tracefs.read("dynamic_events") == ""


def lines(machine: Machine) -> list[str]:
    """The texts of the events in the trace."""
    return re.findall(r" \d+\.\d+: (.*)", machine.tracefs.read("trace"))


def refused(machine: Machine, file: str, command: str) -> str:
    """Checks that a command is refused. Returns the error in error_log and the position of the caret."""
    machine.tracefs.write("error_log", "")
    with pytest.raises(TraceError) as error:
        machine.tracefs.append(file, command)
    assert error.value.errno == errno.EINVAL
    head, shown, caret = machine.tracefs.read("error_log").splitlines()
    assert shown == f"  Command: {command}"
    return f"{head.partition(': error: ')[2]} at {caret.index('^') - len('  Command: ')}"


def test_files_are_as_linux_shows_them(booted: Machine) -> None:
    tracefs = booted.tracefs
    tracefs.write("synthetic_events", LATENCY)
    shown = [tracefs.read(name) for name in ("synthetic_events", "dynamic_events", f"{EVENT}/format")]
    golden = read_golden("synthetic-def.txt")
    files = [name for name in tracefs.listdir(EVENT) if name != "hist"]
    text = re.sub(r"ID: \d+", "ID: 1206", "".join(shown)) + "".join(f"{name}\n" for name in sorted(files))
    assert text == golden.replace("hist\n", "")


def test_what_is_shown_defines_the_same(booted: Machine) -> None:
    tracefs = booted.tracefs
    tracefs.write("synthetic_events", LATENCY)
    tracefs.append("dynamic_events", "s:other unsigned long a char b[] ; bool c;  gfp_t d  # a comment\n\n# nothing")
    assert tracefs.read("dynamic_events").splitlines()[1] == "s:synthetic/other\tunsigned long a; char[] b; bool c; gfp_t d"
    for file in ("synthetic_events", "dynamic_events"):
        before = tracefs.read(file)
        tracefs.write(file, before)
        assert tracefs.read(file) == before


@given(st.lists(st.sampled_from(["u64", "s8", "unsigned int", "bool", "char[16]", "char[256]", "char[]", "pid_t"]), min_size=1))
def test_fields_are_read_as_they_are_written(types: list[str]) -> None:
    fields = [SynthField(type_, f"f{n}", _SIZES[type_]) for n, type_ in enumerate(types)]
    assert parse_fields("; ".join(map(str, fields)), "") == fields


_SIZES = {"u64": 8, "s8": 1, "unsigned int": 4, "bool": 1, "char[16]": 16, "char[256]": 256, "char[]": 0, "pid_t": 4}


def test_its_fields_are_printed_by_their_types(booted: Machine) -> None:
    """As in Linux, fields shorter than an int are printed as unsigned, and flags' names follow a space."""
    tracefs = booted.tracefs
    tracefs.write("synthetic_events", "all s64 a; s32 b; s8 c; u8 d; u64 e; gfp_t f; char g[4]; char h[]; bool i; long j")
    tracefs.write("trace", "")
    tracefs.write(
        "events/synthetic/all/inject",
        'a=-1 b=-2 c=-3 d=4 e=18446744073709551615 f=0xcc0 g="abcdef" h="of any length" i=1 j=-9223372036854775808',
    )
    assert lines(booted) == [
        "all: a=-1 b=-2 c=253 d=4 e=18446744073709551615 f=cc0  (GFP_KERNEL)g=abc h=of any length i=1 j=-9223372036854775808"
    ]
    tracefs.write("options/verbose", "1")
    assert "all: %lld a=-1 %d b=-2" in tracefs.read("trace")
    assert "%.*s g=abc %.*s h=of any length" in tracefs.read("trace")
    tracefs.write("options/verbose", "0")


def test_filters_and_triggers_know_its_fields(booted: Machine) -> None:
    tracefs = booted.tracefs
    tracefs.write("synthetic_events", "some u64 n; char comm[16]; char text[]")
    tracefs.write("events/synthetic/some/filter", 'n > 3 && comm == "sh" && text ~ "*x*"')
    tracefs.write("events/synthetic/some/trigger", "traceoff if n == 9")
    tracefs.write("events/synthetic/some/enable", "1")
    tracefs.write("trace", "")
    for entry in ('n=4 text="yxy"', 'n=3 text="x"', 'n=4 text="y"', "n=9", 'n=5 text="x"'):
        tracefs.write("events/synthetic/some/inject", f'{entry} comm="sh"')
    assert lines(booted) == ["some: n=4 comm=sh text=yxy"]
    assert tracefs.read("tracing_on") == "0\n"
    tracefs.write("tracing_on", "1")
    tracefs.append("events/synthetic/some/trigger", "!traceoff")


def test_what_is_wrong_with_a_definition(booted: Machine) -> None:
    form = "Command must be of the form: <name> field[;field] ... at 0"
    for command, error in {
        "bad": form,
        "bad u64": form,
        "bad ;u64 x": form,
        "bad-name u64 x": "Illegal name at 0",
        "x u64 9y": "Illegal name at 6",
        "x badtype y": "Invalid type at 2",
        "x u64 y[3]": "Invalid type at 2",
        "x unsigned y": "Incomplete type at 2",
        "x u64 y; u32": "Invalid field at 9",
        "x char y[257]": "Invalid array specification at 7",
        "x char y[1000]": "Invalid array specification at 7",
        "x char y[4": "Invalid array specification at 7",
        f"x {'; '.join(f'u8 f{n}' for n in range(65))}": "Too many fields at 0",
    }.items():
        assert refused(booted, "synthetic_events", command) == error, command
    assert refused(booted, "dynamic_events", "s:x") == form
    dynamic_form = "Command must be of the form: s or -:[synthetic/]<name> field[;field] ... at 0"
    assert refused(booted, "dynamic_events", "s:kprobes/x u64 y") == dynamic_form
    with pytest.raises(TraceError) as error:
        booted.tracefs.append("dynamic_events", "z:bad")
    assert error.value.errno == errno.EINVAL
    booted.tracefs.write("synthetic_events", f"most {'; '.join(f'u8 f{n}' for n in range(64))}")


def test_who_needs_it_keeps_it(booted: Machine) -> None:
    tracefs = booted.tracefs
    tracefs.write("synthetic_events", LATENCY)
    with pytest.raises(TraceError) as error:
        tracefs.append("synthetic_events", LATENCY)
    assert error.value.errno == errno.EEXIST
    assert tracefs.read("error_log").splitlines()[0].endswith("synthetic_events: error: Event already exists")
    for needs, lets_go in ((f"{EVENT}/enable", "0"), (f"{EVENT}/trigger", "!traceon")):
        tracefs.append(needs, lets_go.replace("!", "").replace("0", "1"))
        for file, command in (("synthetic_events", "!wakeup_latency"), ("dynamic_events", "-:wakeup_latency")):
            with pytest.raises(TraceError) as error:
                tracefs.append(file, command)
            assert error.value.errno == errno.EBUSY
        with pytest.raises(TraceError) as error:
            tracefs.write("synthetic_events", "")
        assert error.value.errno == errno.EBUSY
        tracefs.append(needs, lets_go)
    tracefs.append("synthetic_events", "!wakeup_latency u64 whatever")
    assert tracefs.read("synthetic_events") == "" and "synthetic" not in tracefs.listdir("events")
    for command in ("!wakeup_latency", "!", "-:wakeup_latency"):
        file = "dynamic_events" if command.startswith("-") else "synthetic_events"
        with pytest.raises(TraceError) as error:
            tracefs.append(file, command)
        assert error.value.errno == errno.ENOENT


def test_the_lines_before_a_wrong_one_are_obeyed(booted: Machine) -> None:
    with pytest.raises(TraceError):
        booted.tracefs.write("synthetic_events", "one u8 a\ntwo nosuch b\nthree u8 c")
    assert booted.tracefs.read("synthetic_events") == "one\tu8 a\n"
