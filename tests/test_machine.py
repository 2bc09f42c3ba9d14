# SPDX-License-Identifier: GPL-2.0-only
"""The life of a Machine: what it refuses, what it gives back, and how it goes on after the host has interfered."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from emu.machine import Machine, Share


@pytest.fixture(scope="module")
def closed(arch: str) -> Machine:
    made = Machine(arch=arch, cpus=1)
    made.close()
    made.close()
    return made


USES: dict[str, Callable[[Machine], object]] = {
    "run": lambda machine: machine.run("true"),
    "advance": lambda machine: machine.advance(1),
    "settle": lambda machine: machine.settle(),
    "inject_nmi": lambda machine: machine.inject_nmi(0),
    "ask": lambda machine: machine.ftrace_enabled,
    "switch": lambda machine: setattr(machine, "ftrace_enabled", False),
    "read": lambda machine: machine.tracefs.read("trace"),
    "write": lambda machine: machine.tracefs.write("current_tracer", "function"),
    "list": lambda machine: machine.tracefs.listdir(),
    "mkdir": lambda machine: machine.tracefs.mkdir("instances/a"),
    "exists": lambda machine: machine.tracefs.exists("trace"),
}


@pytest.mark.parametrize("use", USES)
def test_a_closed_machine_says_so(closed: Machine, use: str) -> None:
    with pytest.raises(ValueError, match="the machine is closed"):
        USES[use](closed)


@pytest.mark.parametrize(
    "parameters",
    [
        {"cpus": 0}, {"quantum": 0}, {"quantum": 1 << 70}, {"frequency": 0}, {"frequency": 1 << 70},
        {"memory": (64 << 20) + 1}, {"arch": "../x86_64"}, {"command_line": "a\0b"}, {"command_line": "x" * 5000},
    ],
)  # fmt: skip
def test_a_parameter_out_of_range_is_a_value_error(parameters: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Machine(**parameters)


def descriptors() -> list[str]:
    return sorted(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("why", ["a share is missing", "the image is none", "it does not boot in time", "closed twice"])
def test_what_was_opened_is_given_back(arch: str, tmp_path: Path, why: str) -> None:
    disk = tmp_path / "disk"
    disk.write_bytes(bytes(4096))
    shares = [Share(tmp_path, "/work")]
    before = descriptors()
    if why == "closed twice":
        with Machine(arch=arch, ramdisk=disk, shares=shares) as machine:
            machine.close()
    else:
        options: dict[str, dict[str, Any]] = {
            "a share is missing": {"shares": [*shares, Share(tmp_path / "nosuch")]},
            "the image is none": {"shares": shares, "image": disk},
            "it does not boot in time": {"shares": shares, "boot_limit": -1},
        }
        with pytest.raises(Exception, match=r"No such file|not an ELF image|virtual time"):
            Machine(arch=arch, ramdisk=disk, **options[why])
    assert descriptors() == before


def test_a_line_that_does_not_fit_is_not_cut(machine: Machine) -> None:
    longest = 4095 - len("echo \0")
    assert machine.run("echo " + "x" * longest).output == b"x" * longest + b"\n"
    for line in ("echo " + "x" * (longest + 1), "true\0"):
        with pytest.raises(ValueError, match="command line"):
            machine.run(line)


@pytest.mark.parametrize("cycles", [-1, 1 << 70])
def test_time_that_cannot_pass(machine: Machine, cycles: int) -> None:
    with pytest.raises(ValueError, match="cycles"):
        machine.advance(cycles)


def test_jobs_in_the_background_go_on_while_others_run(machine: Machine) -> None:
    assert machine.run("(usleep 2000; echo late > /late) & echo early").output == b"early\n"
    machine.advance(10_000_000)
    assert machine.run("cat /late").output == b"late\n"


@pytest.fixture
def interrupted(arch: str) -> Iterator[tuple[Machine, list[Callable[[], None]], list[bytes]]]:
    """A machine whose console calls one of a list of functions after each chunk, and the chunks."""
    calls: list[Callable[[], None]] = []
    chunks: list[bytes] = []

    def console(data: bytes) -> None:
        chunks.append(data)
        if calls:
            calls.pop()()

    with Machine(arch=arch, console=console) as made:
        chunks.clear()
        yield made, calls, chunks


def complain() -> None:
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("call", "error"),
    [(complain, ZeroDivisionError), (lambda: signal.raise_signal(signal.SIGINT), KeyboardInterrupt)],
    ids=["exception", "signal"],
)
def test_what_the_console_raises_ends_the_run_and_loses_nothing(
    interrupted: tuple[Machine, list[Callable[[], None]], list[bytes]], call: Callable[[], None], error: type[BaseException]
) -> None:
    machine, calls, chunks = interrupted
    calls.append(call)
    with pytest.raises(error):
        machine.run("echo one; echo two; exec sleep 1000")
    assert chunks == [b"one\n"]
    machine.advance(10 * machine.board.LONGEST_TURN)
    assert chunks == [b"one\n", b"two\n"]
    assert machine.run("echo three").output == b"three\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_machine_can_be_used_from_another_thread(machine: Machine) -> None:
    outputs: list[bytes] = []
    thread = threading.Thread(target=lambda: outputs.append(machine.run("echo elsewhere").output))
    thread.start()
    thread.join()
    assert outputs == [b"elsewhere\n"]


def test_a_machine_goes_on_in_a_forked_process(machine: Machine) -> None:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = int(machine.run("echo child > /forked; cat /forked").output != b"child\n")
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert machine.run("cat /forked").status == 1
