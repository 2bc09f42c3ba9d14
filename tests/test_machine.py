# SPDX-License-Identifier: GPL-2.0-only
"""The life of a Machine: what it refuses, what it returns, and how it continues after interference by the host."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import emu
from emu.ftrace.probes import host_probes
from emu.machine import Machine, Share, image_directory


def test_what_emu_offers_is_there() -> None:
    modules = (emu.machine, host_probes)
    assert all(getattr(emu, name) in (getattr(module, name, None) for module in modules) for name in emu.__all__)


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
    "site": lambda machine: machine.site("vfs_read"),
    "step": lambda machine: machine.cpus[0].step(),
    "pc": lambda machine: machine.cpus[0].pc,
    "symbol": lambda machine: machine.cpus[0].symbol,
    "cycles": lambda machine: machine.cpus[0].cycles,
    "registers": lambda machine: machine.cpus[0].registers,
    "activity": lambda machine: machine.cpus[0].activity,
    "disassembly": lambda machine: machine.cpus[0].disassembly,
    "show": lambda machine: repr(machine.cpus[0]),
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
    longest = 4096 - len("sh\0-c\0echo \0")
    assert machine.run("echo " + "x" * longest).output == b"x" * longest + b"\n"
    for line in ("echo " + "x" * (longest + 1), "true\0"):
        with pytest.raises(ValueError, match="a command"):
            machine.run(line)


WORDS = ["two words", "", "it's", '"', "$HOME", "*", "; exit 3", "new\nline", "-n", "\udcff"]


def test_a_program_gets_its_arguments_as_they_are(machine: Machine) -> None:
    done = machine.run(["printf", "%s\\0", *WORDS])
    assert (done.status, done.output) == (0, b"".join(os.fsencode(word) + b"\0" for word in WORDS))


def test_a_program_is_run_without_a_shell(machine: Machine) -> None:
    assert machine.run(["sh", "-c", "exit 7"]).status == 7
    assert machine.run(["kill", "-9", "0"]).status == 128 + signal.SIGKILL  # the process group of the command


@pytest.mark.parametrize(("words", "status"), [(["no such program"], 127), ([""], 127), (["/proc/version"], 126)])
def test_a_program_that_cannot_be_run_is_named(machine: Machine, words: list[str], status: int) -> None:
    done = machine.run(words)
    assert done.status == status
    assert done.output.startswith(f"init: {words[0]}: ".encode())


def test_a_command_without_a_word_is_refused(machine: Machine) -> None:
    with pytest.raises(ValueError, match="at least one word"):
        machine.run([])


@pytest.mark.parametrize("words", [b"ls", [b"ls"], ["ls", 3]])
def test_words_are_of_type_str(machine: Machine, words: Any) -> None:
    with pytest.raises(TypeError, match=r"^the words of a command are of type str, not (int|bytes)$"):
        machine.run(words)


def test_a_machine_at_the_prompt(machine: Machine, closed: Machine, arch: str) -> None:
    assert repr(machine) == f"<machine: {arch}, {len(machine.cpus)} CPUs>"
    assert repr(closed) == f"<machine: {arch}, 1 CPU, closed>"
    assert 'read("README")' in repr(machine.tracefs)


def test_files_may_be_named_by_texts(arch: str, tmp_path: Path) -> None:
    (tmp_path / "hello").write_text("hello".ljust(512))
    image = str(image_directory(arch) / "vmlinux")
    with Machine(arch, cpus=1, image=image, ramdisk=str(tmp_path / "hello"), shares=[f"{tmp_path}:/s"]) as made:
        assert made.run("head -c 5 /s/hello; head -c 5 /dev/ram0").output == b"hellohello"


def processes(machine: Machine) -> set[str]:
    """The processes in the trace."""
    lines = [line for line in machine.tracefs.read("trace").splitlines() if not line.startswith("#")]
    return {line.split()[0] for line in lines}


@pytest.fixture
def traced(machine: Machine) -> Iterator[Machine]:
    machine.tracefs.write("tracing_on", "0")
    machine.tracefs.write("trace", "")
    machine.tracefs.write("current_tracer", "function")
    yield machine
    machine.tracefs.write("current_tracer", "nop")


def test_follow_traces_the_command_and_its_children_only(traced: Machine) -> None:
    machine = traced
    machine.run("busy 2 1 > /dev/null & echo $! > /tmp/pid")
    pid = machine.run(["cat", "/tmp/pid"]).output.decode().strip()
    done = machine.run(["sh", "-c", "echo $$; cat /proc/version > /dev/null; ls > /dev/null & wait"], trace=True, follow=True)
    names = sorted(processes(machine))
    assert [name.split("-")[0] for name in names] == ["cat", "ls", "sh"]
    assert names[-1] == f"sh-{int(done.output)}"
    assert machine.tracefs.read("set_ftrace_pid") == "no pid\n"
    assert machine.tracefs.read("set_event_pid") == ""
    assert [machine.tracefs.read(f"options/{what}-fork") for what in ("function", "event")] == ["0\n", "0\n"]
    machine.tracefs.write("trace", "")
    machine.tracefs.write("set_ftrace_pid", pid)  # it is traced, too, if it still exists
    machine.run(["true"], trace=True, follow=True)
    assert {process.split("-")[0] for process in processes(machine)} <= {"true", "busy"}
    assert machine.tracefs.read("set_ftrace_pid") == f"{pid}\n"
    machine.tracefs.write("set_ftrace_pid", "")


def test_follow_begins_with_the_call_that_executes_the_command(traced: Machine) -> None:
    traced.tracefs.write("set_ftrace_filter", "sys_*")
    traced.run(["true"], trace=True, follow=True)
    calls = [line.split(": ")[1].split()[0] for line in traced.tracefs.read("trace").splitlines() if "<-" in line]
    assert (calls[0], calls[-1]) == ("sys_execve", "sys_exit_group")
    traced.tracefs.write("set_ftrace_filter", "")


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
    """A machine with a console that calls one of a list of functions after each chunk, and the chunks."""
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
    machine.advance(10 * machine.board.arch.longest_turn)
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
