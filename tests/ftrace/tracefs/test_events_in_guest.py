# SPDX-License-Identifier: GPL-2.0-only
"""events/ as the guest's shell uses it, while modules come and go."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from emu.machine import Machine
from tests.lib.commands import TRACING, run, shell

EVENT = "events/event_cost/event_cost_fixed"


@pytest.fixture
def fresh(machine: Machine) -> Iterator[Machine]:
    """The machine without the module, before and after."""
    yield machine
    machine.run("rmmod event_cost 2> /dev/null")
    machine.tracefs.write("set_event", "")
    machine.tracefs.write("trace", "")


def test_directories_follow_modules(fresh: Machine) -> None:
    assert "event_cost" not in shell(fresh, "ls events")
    run(fresh, "modprobe event_cost")
    assert shell(fresh, "ls events/event_cost").split() == ["enable", "event_cost_fixed", "event_cost_string", "filter"]
    first, second = (int(shell(fresh, f"cat events/event_cost/event_cost_{name}/id")) for name in ("fixed", "string"))
    lines = shell(fresh, "cat available_events").splitlines()
    assert {line.partition(":")[0] for line in lines[:2]} == {"event_cost"}, "the latest module's are first"
    run(fresh, "rmmod event_cost")
    assert shell(fresh, "ls events/event_cost 2>&1") == "ls: cannot access 'events/event_cost': No such file or directory\n"
    assert "event_cost" not in shell(fresh, "cat available_events")
    run(fresh, "modprobe event_cost")
    again = int(shell(fresh, f"cat {EVENT}/id"))
    assert again not in (first, second), "entries of the old event may be in a buffer"


def test_open_files_of_an_event_that_is_gone(fresh: Machine) -> None:
    run(fresh, "modprobe event_cost")
    script = f"""
        exec 3< {EVENT}/id 4<> {EVENT}/enable 5< {EVENT}/format 6> {EVENT}/inject 7<> events/event_cost/enable
        rmmod event_cost
        cat <&3; cat <&4; cat <&5; echo 1 >&4; echo hits=1 >&6
        cat <&7
        exec 3<&- 4<&- 5<&- 6<&- 7<&-
        modprobe event_cost; cat {EVENT}/enable
    """
    said = shell(fresh, f"({script}) 2>&1").splitlines()
    assert [line.rpartition(": ")[2] for line in said] == ["No such device"] * 5 + ["?", "0"]


def test_a_module_is_enabled_with_its_system(fresh: Machine) -> None:
    run(fresh, "modprobe event_cost")
    assert shell(fresh, "echo event_cost > set_event; cat set_event events/event_cost/enable events/enable").split() == [
        *shell(fresh, "grep event_cost: available_events").split(),
        "1", "X",
    ]  # fmt: skip
    run(fresh, "echo 3 > /sys/module/event_cost/parameters/calls")
    lines = [line for line in shell(fresh, "cat trace").splitlines() if not line.startswith("#")]
    assert len([line for line in lines if " event_cost_fixed: " in line]) == 3
    run(fresh, "rmmod event_cost")
    assert shell(fresh, "cat set_event") == ""
    assert "entries-written: 0/0" in shell(fresh, "cat trace"), "a buffer that may hold its entries is emptied"


def test_a_script_enables_events_one_after_another(fresh: Machine) -> None:
    script = """
        echo sched:sched_switch > set_event
        echo irq: >> set_event
        echo '!irq:*' >> set_event
        cat set_event
        echo 'sched:sched_switch nosuch:event irq:' > set_event; echo $?
        cat set_event
        printf 'irq:' > set_event; cat events/irq/enable events/sched/enable
        : > set_event
        cat set_event events/enable
    """
    assert shell(fresh, f"({script}) 2>&1") == (
        "sched:sched_switch\n"
        "sh: 6: echo: write error: Invalid argument\n1\n"
        "sched:sched_switch\n"
        "1\n0\n"
        "0\n"
    )  # fmt: skip


def test_events_are_enabled_by_busy_cpus(fresh: Machine) -> None:
    said = shell(
        fresh,
        "for n in 1 2 3; do (for i in 1 2 3 4 5 6 7 8; do echo 1 > events/irq/enable; echo 0 > events/irq/enable; done) & done;"
        f" cd {TRACING}; wait; cat events/irq/enable",
    )
    assert said == "0\n"
