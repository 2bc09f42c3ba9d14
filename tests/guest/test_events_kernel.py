# SPDX-License-Identifier: GPL-2.0-only
"""Events of modules, messages, exhausted memory, NMIs, exceptions and interrupt vectors match what happened."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from emu.machine import Machine
from tests.lib.commands import run
from tests.lib.event_lines import EventLine, event_lines

MODULES = "/lib/modules"


@pytest.fixture(scope="module")
def machine(arch: str) -> Iterator[Machine]:
    with Machine(arch=arch, cpus=2, memory=48 << 20) as booted:
        yield booted


def record(machine: Machine, events: str, command: str) -> list[EventLine]:
    """The events while a command runs."""
    machine.tracefs.write("trace", "")
    machine.tracefs.write("set_event", events)
    run(machine, command)
    machine.tracefs.write("set_event", "")
    return list(event_lines(machine.tracefs.read("trace")))


def test_a_module_comes_and_goes(machine: Machine) -> None:
    events = record(machine, "module initcall", f"insmod {MODULES}/sample_printk.ko; rmmod sample_printk")
    assert [event.name for event in events] == [
        "module_load",
        "initcall_start",
        "initcall_finish",
        "module_put",
        "module_free",
    ]
    load, start, finish, put, free = events
    assert {event.text.split()[0] for event in (load, put, free)} == {"sample_printk"}
    assert start["func"] == finish["func"]
    assert start["func"].startswith("sample_printk_init+0x0/")
    assert finish["ret"] == "0"
    assert (put["call_site"], put["refcnt"]) == ("do_init_module", "1")


def test_a_module_that_another_uses_has_references(machine: Machine) -> None:
    insert = f"insmod {MODULES}/sample_export.ko; insmod {MODULES}/sample_use.ko count=3"
    events = record(machine, "module:module_get module:module_put", f"{insert}; rmmod sample_use sample_export")
    of_export = [(event.name, event["call_site"], event["refcnt"]) for event in events if event.text.startswith("sample_export ")]
    assert of_export == [
        ("module_put", "do_init_module", "1"),
        ("module_get", "strong_try_module_get", "2"),
        ("module_put", "module_unload_free", "1"),
    ]


def test_mount_requests_a_module(machine: Machine) -> None:
    events = record(machine, "module:module_request", "mkdir /d; mount -t nosuchfs none /d; true")
    assert [(event.text.split()[0], event["wait"]) for event in events] == [("fs-nosuchfs", "1")]


def test_messages_are_events_without_their_ends_of_line(machine: Machine) -> None:
    events = record(machine, "printk", f"echo '<5>to the log' > /dev/kmsg; insmod {MODULES}/sample_fail.ko; true")
    texts = [event.text for event in events]
    assert texts == ["to the log", "sample_fail: there is no such device"]
    assert {event.flags[0] for event in events} == {"d"}


def test_a_score_is_set_and_the_worst_is_killed(machine: Machine) -> None:
    events = record(machine, "oom", "echo 5 > /proc/self/oom_score_adj; memhog 100; true")
    adjusted, killed = events
    assert (adjusted.name, adjusted["oom_score_adj"], adjusted["pid"]) == ("oom_score_adj_update", "5", str(adjusted.pid))
    assert (killed.name, killed["comm"], killed["uid"]) == ("mark_victim", "memhog", "0")
    log = run(machine, "dmesg")
    assert f"Killed process {killed['pid']} (memhog) total-vm:{killed['vm']}, anon-rss:{killed['rss']}, " in log


def test_an_nmi_has_its_handler_and_its_time(machine: Machine) -> None:
    machine.tracefs.write("trace", "")
    machine.tracefs.write("set_event", "nmi")
    machine.inject_nmi(1)
    machine.run("true")
    machine.advance(1_000_000)
    machine.tracefs.write("set_event", "")
    (event,) = event_lines(machine.tracefs.read("trace"))
    assert event.text.startswith("watchdog_nmi_handler() delta_ns: ")
    assert event.text.endswith(" handled: 0")
    assert 0 < int(event.text.split()[2]) < 100_000
    assert (event.cpu, event.flags[2]) == (1, "Z")


@pytest.mark.parametrize("arch", ["x86_64"], scope="module")
def test_page_faults_are_the_programs_or_the_kernels(machine: Machine) -> None:
    events = record(machine, "exceptions", "cat /proc/self/status | head -1 > /dev/null")
    users = [event for event in events if event.name == "page_fault_user"]
    kernels = [event for event in events if event.name == "page_fault_kernel"]
    assert len(users) > 10
    assert {int(event["error_code"], 16) & 4 for event in users} == {4}
    assert {int(event["error_code"], 16) & 4 for event in kernels} <= {0}
    assert all(int(event["ip"], 16) < 1 << 47 for event in users)
    assert {event.flags[0] for event in events} == {"d"}


@pytest.mark.parametrize("arch", ["x86_64"], scope="module")
def test_a_vectors_interrupt_begins_and_ends(machine: Machine) -> None:
    events = record(
        machine, "irq_vectors", "busy 4 2; echo 0 > /proc/sys/kernel/nmi_watchdog; echo 1 > /proc/sys/kernel/nmi_watchdog"
    )
    vectors = {"local_timer": "236", "reschedule": "253", "call_function": "251"}
    assert {event.name for event in events} == {f"{name}_{way}" for name in vectors for way in ("entry", "exit")}
    for cpu in range(2):
        mine = [event for event in events if event.cpu == cpu]
        for entry, leave in zip(mine[::2], mine[1::2], strict=True):
            name = entry.name.removesuffix("_entry")
            assert leave.name == f"{name}_exit"
            assert entry["vector"] == leave["vector"] == vectors[name]
            assert entry.flags[0] + entry.flags[2] in ("dh", "dH")
