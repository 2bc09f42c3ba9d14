# SPDX-License-Identifier: GPL-2.0-only
"""Linux's tracing samples, except for direct calls and probes: their traces are like those of Linux."""

from __future__ import annotations

import errno
import re

import pytest

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

_TRACING = "/sys/kernel/tracing"
_EVENT = re.compile(r"^ *(event-sample\S*|sample-instance)-\d+ .*?: (\w+: .*|.*trace_array_printk: .*)$", re.MULTILINE)


def _run(machine: Machine, command: str) -> str:
    done = machine.run(command)
    assert done.status == 0, done.output
    return done.output.decode()


def _seen(trace: str) -> list[str]:
    """What the samples' threads have recorded."""
    return [text for _, text in _EVENT.findall(trace)]


@pytest.mark.static_timing("where an interrupt comes depends on times")
def test_trace_printk(arch: str) -> None:
    with booted_machine(arch) as machine:
        _run(machine, "insmod /lib/modules/trace-printk.ko; rmmod trace_printk")
        found = re.findall(r"(\S+) +[\d.]+: (\w+) \[trace_printk\]: (.*)\n", machine.tracefs.read("trace"))
        texts = ["static string that will use trace_bputs", "dynamic string that will use trace_puts"]
        more = ["static string that will use trace_bprintk()", "dynamic string that will use trace_printk"]
        task = [(".....", "trace_printk_init", f"This is a {text}") for text in [*texts, *more]]
        irq = [("d.h1.", "trace_printk_irq_work", f"(irq) This is a {text}") for text in [*texts, *more]]
        assert sorted(found) == sorted([*task, *irq])
        assert [one for one in found if one in task] == task and [one for one in found if one in irq] == irq
        formats = machine.tracefs.read("printk_formats")
        assert ': "(irq) This is a %s that will use trace_bprintk()\\n"\n' in formats


def test_events_of_all_kinds(arch: str) -> None:
    with booted_machine(arch) as machine:
        _run(machine, "insmod /lib/modules/trace-events-sample.ko")
        events = f"{_TRACING}/events/sample-trace"
        _run(machine, f"echo 1 > {events}/enable; sleep 3; cat {events}/foo_bar/format")
        assert "event-sample-fn" in _run(machine, "ps")
        texts = _seen(machine.tracefs.read("trace"))
        assert [text for text in texts if not re.search("Look at me", text)][:10] == [
            "foo_bar: foo hello 0 zero  {} Mother Goose (00000000,00000003) iter=0",
            "foo_with_template_simple: foo HELLO 0",
            "foo_bar_with_cond: foo Some times print 0",
            "foo_with_template_cond: foo prints other times 0",
            "foo_with_template_print: bar I have to be different 0",
            "foo_rel_loc: foo_rel_loc Hello __rel_loc, 0, 00000000,deadbeef",
            "foo_bar: foo hello 1 0x1 BIT1 {0x1} Snoopy (00000000,00000003) iter=1",
            "foo_with_template_simple: foo HELLO 1",
            "foo_with_template_print: bar I have to be different 1",
            "foo_rel_loc: foo_rel_loc Hello __rel_loc, 1, 00000000,deadbeef",
        ]
        assert {"foo_bar_with_fn: foo Look at me 0", "foo_with_template_fn: foo Look at me too 0"} <= set(texts)
        fields = re.findall(r"field:([^;]+);\toffset:(\d+)", machine.tracefs.read("events/sample-trace/foo_rel_loc/format"))[4:]
        assert fields == [("__rel_loc char[] foo", "8"), ("int bar", "12"), ("__rel_loc unsigned long[] bitmask", "16")]

        # The thread exists while one of its events is enabled, also in an instance, and ends with the module.
        machine.tracefs.mkdir("instances/foo")
        of_foo = f"{_TRACING}/instances/foo/events/sample-trace/foo_with_template_fn"
        _run(machine, f"echo 1 > {of_foo}/enable; echo 0 > {events}/enable")
        assert "event-sample-fn" in _run(machine, "ps")
        _run(machine, f"echo > {_TRACING}/instances/foo/set_event")
        assert "event-sample-fn" not in _run(machine, "ps")
        _run(machine, f"echo 1 > {events}/foo_bar_with_fn/enable; rmmod trace_events_sample")
        assert "event-sample" not in _run(machine, "ps")
        assert re.findall(r"(\w+) thread for foo_bar_fn", _run(machine, "dmesg")) == ["Starting", "Killing"] * 2


@pytest.mark.static_timing("whether the fifth event comes before a timer of five seconds is chance")
def test_an_instance_of_a_module(arch: str) -> None:
    with booted_machine(arch) as machine:
        _run(machine, "insmod /lib/modules/sample-trace-array.ko; sleep 7")
        with pytest.raises(TraceError) as refused:
            machine.tracefs.rmdir("instances/sample-instance")
        assert refused.value.code == errno.EBUSY
        texts = _seen(machine.tracefs.read("instances/sample-instance/trace"))
        written = [text for text in texts if "trace_array_printk: count=" in text]
        recorded = [text for text in texts if re.fullmatch(r"sample_event: count value=\d at jiffies=\d+", text)]
        assert len(written) + len(recorded) == len(texts)
        assert (len(written), len(recorded)) == (6, 4)  # the event is turned off after five seconds
        assert "sample_event" not in machine.tracefs.read("trace")
        _run(machine, "rmmod sample_trace_array")
        machine.tracefs.rmdir("instances/sample-instance")
        assert _run(machine, f"ls {_TRACING}/instances") == ""
