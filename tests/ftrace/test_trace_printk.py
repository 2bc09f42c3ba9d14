# SPDX-License-Identifier: GPL-2.0-only
"""trace_printk(): formats and arguments that become text when the trace is read."""

from __future__ import annotations

import re

from emu.cpu import arch as cpu_arch
from emu.ftrace.bprintf import arguments
from emu.ftrace.buffers.entries import BPRINT, BPUTS, EventType
from emu.ftrace.words import Words
from emu.machine import Machine
from emu.trace.report import Report
from tests.guest.test_modules import MODULES
from tests.lib.golden import read_golden
from tests.lib.payload import payload

USE = f"insmod {MODULES}/sample_printk.ko count=1; usleep 15000; rmmod sample_printk"
FORMATS = f"insmod {MODULES}/sample_printk.ko count=0 formats=1; rmmod sample_printk"


def texts(machine: Machine, *options: str) -> list[str]:
    """The lines of the trace without header, with some options changed during the read."""
    for option in options:
        machine.tracefs.write("trace_options", option)
    lines = [line for line in machine.tracefs.read("trace").splitlines() if not line.startswith("#")]
    for option in options:
        machine.tracefs.write("trace_options", option[2:] if option.startswith("no") else f"no{option}")
    return lines


def record(machine: Machine, command: str) -> None:
    machine.tracefs.write("trace", "")
    machine.run(command)


def test_a_text_made_later_is_the_text_that_the_guest_would_have_made(machine: Machine) -> None:
    record(machine, FORMATS)
    lines = [line.removeprefix("sample_printk_formats [sample_printk]: ") for line in texts(machine, "nocontext-info")[1:17]]
    assert lines[::2] == lines[1::2]
    assert lines[::2] == [
        "-1 2 4294967293 beef BEEF 10 c%",
        "-9223372036854775808 18446744073709551615 10000000000 0xff 5",
        "-1 65535 -56 200 2345",
        "   42|42   |00042|+42| 42|007|010",
        "abcd1234",
        "   right|left    |cu|(null)",
        "     1|2     |3     |ab|0005",
        "0000000000001234|    ffffffffffffffff",
    ]


def test_pointers_are_symbols_of_their_own(machine: Machine) -> None:
    record(machine, FORMATS)
    (line,) = (line for line in texts(machine, "nocontext-info") if "+0x0" in line)
    name = "sample_printk_formats"
    assert re.fullmatch(rf"{name} \[sample_printk\]: {name}\+0x0/0x\w+ \[sample_printk\]\|{name} \[sample_printk\]\|1234", line)


def test_what_is_too_long(machine: Machine) -> None:
    """A text is truncated, but is still a line; arguments are not recorded."""
    record(machine, FORMATS)
    long, short = (line for line in texts(machine, "nocontext-info") if "xxx" in line)
    assert long == f"sample_printk_formats [sample_printk]: {'x' * 1022}"
    assert short == "sample_printk_formats [sample_printk]: xxx"


def test_events_have_addresses_and_arguments(arch: str, machine: Machine) -> None:
    record(machine, USE)
    kinds = []
    for events in machine.trace_array.trace_view(None).events:
        for index in range(len(events)):
            kind = int(events.entries(BPUTS)[index]["type"])
            kinds.append(kind)
            if kind == EventType.BPRINT:
                data = payload(events, index)[BPRINT.itemsize :]
                assert arguments(b"%d of %d", data, Words("<" if cpu_arch.load(arch).byte_order == "little" else ">")) == [1, 1]
    assert kinds == [EventType.BPUTS, EventType.BPRINT, EventType.BPRINT]


def test_printk_formats(machine: Machine) -> None:
    """Also of removed modules, as a trace may refer to them. Equal ones are merged."""
    machine.run(f"{USE}; {USE}")
    lines = machine.tracefs.read("printk_formats").splitlines()
    golden = read_golden("file-printk_formats.initial.txt").splitlines()
    assert all(re.fullmatch(r'0x[0-9a-f]{16} : ".*"', line) for line in [*lines, *golden])
    formats = [line.split('"', 1)[1].removesuffix('"') for line in lines]
    assert sorted(formats).count(r"tick %d of %d\n") == 1
    assert {r"hello\n", "rcu_preempt", "Start RCU core"} <= set(formats)
    where = {text: line.partition(" ")[0] for text, line in zip(formats, lines, strict=True)}
    record(machine, USE)
    entries = [entry for events in machine.trace_array.trace_view(None).events for entry in events.entries(BPRINT)]
    addresses = {int(entry["fmt"]) for entry in entries if entry["type"] == EventType.BPRINT}
    assert addresses == {int(where[text], 16) for text in (r"tick %d of %d\n", r"%d of %d\n")}


def test_options(machine: Machine) -> None:
    record(machine, USE)
    assert texts(machine, "printk-msg-only") == ["hello", "tick 1 of 1", "1 of 1"]
    assert re.fullmatch(r"\d+ \d \d+ : [0-9a-f]{16} : tick 1 of 1", texts(machine, "raw")[1])
    assert re.fullmatch(r"[0-9a-f]{8} [0-9a-f]{8} [0-9a-f]{16} type: 14", texts(machine, "hex")[0])
    machine.tracefs.write("trace_options", "notrace_printk")
    record(machine, USE)
    assert texts(machine) == []
    machine.tracefs.write("trace_options", "trace_printk")


def test_a_trace_in_memory_has_the_same_texts(machine: Machine) -> None:
    record(machine, USE)
    lines = b"".join(Report(machine.trace()).pieces()).decode().splitlines()
    found = [line.rpartition(": ")[2] for line in lines if re.search(" b(puts|print): ", line)]
    assert found == ["hello", "tick 1 of 1", "1 of 1"]


def test_an_instance_gets_none_of_it(machine: Machine) -> None:
    machine.tracefs.mkdir("instances/foo")
    record(machine, USE)
    assert "sample_printk" not in machine.tracefs.read("instances/foo/trace")
    machine.run("echo mine > /sys/kernel/tracing/instances/foo/trace_marker")
    assert "mine" in machine.tracefs.read("instances/foo/trace")
    assert "mine" not in machine.tracefs.read("trace")
    machine.tracefs.rmdir("instances/foo")


def test_comments_of_function_graph(machine: Machine) -> None:
    machine.tracefs.write("set_graph_function", "do_one_initcall")
    machine.tracefs.write("current_tracer", "function_graph")
    machine.run(USE)
    text = machine.tracefs.read("trace")
    machine.tracefs.write("current_tracer", "nop")
    machine.tracefs.write("set_graph_function", "")
    assert re.search(r"\d\) +\| +/\* hello \*/$", text, re.MULTILINE)
    assert re.search(r"\d\) +\| +/\* tick 1 of 1 \*/$", text, re.MULTILINE)


def test_a_guest_with_wild_pointers_hurts_nobody(machine: Machine) -> None:
    machine.tracefs.write("trace", "")
    host_events, cpu = machine.trace_array.recorder.host_events, machine.board.cpus[0]
    for address in (0, 1, 0xDEAD, (1 << 64) - 1):
        host_events.write_bprint(cpu, address, address, b"\xff" * 12)
        host_events.write_bputs(cpu, address, address)
    assert "".join(texts(machine, "printk-msg-only")) == "(efault)" * 8
