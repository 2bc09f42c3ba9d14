# SPDX-License-Identifier: GPL-2.0-only
"""Signals: handlers and masks, stopping and killing, and what a parent is told."""

from __future__ import annotations

import signal

import pytest

from emu.machine import Machine
from tests.lib.arches import FACTS
from tests.lib.booted_machine import booted_machine

SEEN_BY_PROGRAMS = {
    "handler": "caught 100, sum 4950\n",
    "queue": "pending 1 1 0\n"
    "signal 0 code -1 from me value 11\n"
    "signal 0 code -1 from me value 22\n"
    "signal 0 code -1 from me value 33\n"
    "signal 0 code 0 from me value 0\n",
    "restart": "with SA_RESTART: 1 x, caught 1\n"
    "without: -1 Interrupted system call, caught 2\n"
    "sleep: -1 Interrupted system call, some left 1\n",
    "altstack": "on the alternate stack 1, flags 1\n"
    "on the alternate stack 0, flags 0\n"
    "on the alternate stack 1, flags 1\n",
    "suspend": "Interrupted system call, caught 1\nblocked again 1\n",
    "timedwait": "-1 Resource temporarily unavailable\n0, code 0\n",
    "stop": "SIGSTOP: stopped by SIGSTOP\nagain: 0\nSIGCONT: continued\nSIGKILL: killed by 9\n"
    "SIGCHLD came each time\nSIGSEGV: killed by 11\n",
}


@pytest.mark.parametrize("case", SEEN_BY_PROGRAMS)
def test_what_a_program_sees(machine: Machine, case: str) -> None:
    done = machine.run(f"signals {case}")
    assert (done.status, done.output.decode()) == (0, SEEN_BY_PROGRAMS[case])


def test_flags_of_handlers(machine: Machine) -> None:
    done = machine.run("signals nodefer")
    assert done.output.decode().splitlines()[:3] == [
        "deferred: caught 3, depth 1",
        "SA_NODEFER: caught 3, depth 3",
        "SA_RESETHAND",
    ]
    assert b"not reached" not in done.output
    assert done.status > 128  # the second signal had its default action


def test_faults_say_what_and_where(arch: str, machine: Machine) -> None:
    lines = machine.run("signals faults").output.decode().splitlines()
    undefined, breakpoint_ = {"x86_64": (2, 128), "sparc64": (1, 1), "riscv64": (1, 1)}[arch]
    assert lines == [
        "SIGSEGV code 1 address right", "SIGSEGV code 2 address right", *["SIGFPE code 1"] * FACTS[arch].traps_division,
        f"SIGILL code {undefined}", f"SIGTRAP code {breakpoint_}",
    ]  # fmt: skip


def test_a_forged_frame_kills_only_its_program(machine: Machine) -> None:
    done = machine.run("signals forged")
    assert done.status == 128 + signal.SIGSEGV
    assert b"not reached" not in done.output


def test_a_job_is_stopped_and_goes_on(machine: Machine) -> None:
    done = machine.run("(usleep 3000; echo late) & kill -STOP $!; usleep 9000; echo early; kill -CONT $!; wait")
    assert done.output == b"early\nlate\n"


def test_no_core_is_said_to_be_dumped(machine: Machine) -> None:
    done = machine.run("fault segv; echo $?")
    assert done.output == b"Segmentation fault\n139\n"


def test_init_cannot_be_killed(machine: Machine) -> None:
    assert machine.run("kill -KILL 1; kill -SEGV 1; echo $?").output == b"0\n"


def test_what_delivers_a_signal_is_called_in_linux_order(arch: str) -> None:
    with booted_machine(arch, cpus=1) as made:
        for function in ("do_send_sig_info", "send_signal_locked", "__send_signal_locked", "prepare_signal",
                         "complete_signal", "signal_wake_up", "get_signal", "dequeue_signal", "handle_signal",
                         "setup_rt_frame", "signal_setup_done"):  # fmt: skip
            made.tracefs.append("set_ftrace_filter", function)
        made.tracefs.write("current_tracer", "function")
        assert made.run("signals handler", trace=True).status == 0
        names = [line.split(": ")[1].split(" <-")[0] for line in made.tracefs.read("trace").splitlines() if " <-" in line]
        start = names.index("do_send_sig_info")
        sent = names[start : start + 6]
        assert sent == ["do_send_sig_info", "send_signal_locked", "__send_signal_locked", "prepare_signal",
                        "complete_signal", "signal_wake_up"]  # fmt: skip
        got = names[names.index("handle_signal") - 2 :][:5]
        assert got == ["get_signal", "dequeue_signal", "handle_signal", "setup_rt_frame", "signal_setup_done"]
