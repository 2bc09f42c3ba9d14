# SPDX-License-Identifier: GPL-2.0-only
"""The `emu` command with a fake machine: options, errors, output files, exit statuses."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from emu.ftrace.arrays.trace_summary import TraceSummary
from emu.ftrace.errors import TraceError
from emu.kernel.endings import GuestPanic
from emu.kernel.files.share import Share
from emu.kernel.limits import LimitReached
from tests.cli.conftest import Emu, Result

TRACE = b"# tracer: nop\n"
ODD = "emu: something is odd\n"  # the warning of every fake machine


class PanicError(GuestPanic):
    pass


class LimitReachedError(LimitReached):
    pass


class PoweredOffError(Exception):
    status = 7


class Completed(NamedTuple):
    status: int
    output: bytes


class FakeTraceFS:
    """Knows the tracers nop and function."""

    def __init__(self) -> None:
        self.written: list[tuple[str, str]] = []

    def read(self, path: str) -> str:
        return {
            "current_tracer": "nop\n",
            "available_events": "sched:sched_switch\nsched:sched_waking\nirq:irq_handler_entry\ntimer:hrtimer_start\n",
        }[path]

    def write(self, path: str, text: str) -> None:
        if (path, text) in (("current_tracer", "bogus"), ("set_event", "bogus")) or path == "nosuch":
            raise TraceError(22, f"{text} is bad")
        self.written.append((path, text))

    append = write

    def read_pieces(self, path: str) -> Iterator[bytes]:
        assert path == "trace"
        return iter([TRACE[:5], TRACE[5:]])


class FakeBoard:
    now = 0


class FakeTraceArray:
    """Always holds an event."""

    def summary(self) -> TraceSummary:
        return TraceSummary(events=1, cpus=1, processes=1, lost=0, wanted_kb=0)


class FakeMachine:
    """Accepts any command; `behaviour` is what each one does."""

    behaviour: Callable[[FakeMachine], int] = staticmethod(lambda machine: 0)
    last: FakeMachine

    def __init__(self, *, arch: str, console: Callable[[bytes], None], **options: Any) -> None:
        if arch != "x86_64":
            raise ValueError(f"there is no architecture '{arch}'")
        FakeMachine.last = self
        self.options = options
        self.console = console
        self.tracefs = FakeTraceFS()
        self.trace_array = FakeTraceArray()
        self.board = FakeBoard()
        self.commands: list[str | Sequence[str]] = []
        self.input = b""
        self.cpus = ()
        self.closed = False
        self.program_files = None
        console(b"boot message\n")
        options.pop("warn")("something is odd")
        options.pop("booting")(1)

    def __enter__(self) -> FakeMachine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.closed = True

    def run(
        self,
        command: str | Sequence[str],
        *,
        trace: bool = False,
        follow: bool = False,
        stdin: Any = None,
        meanwhile: Any = None,
        limit: int | None = None,
        host_limit: float | None = None,
    ) -> Completed:
        self.commands.append(command)
        self.limits = (limit, host_limit)
        self.follow = follow
        if isinstance(stdin, bytes):
            self.input += stdin
            stdin = None
        while stdin is not None and (data := stdin.read(wait=True)):
            self.input += data
        self.console(b"guest output\n")
        return Completed(FakeMachine.behaviour(self), b"guest output\n")


@pytest.fixture(autouse=True)
def machine(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> type[FakeMachine]:
    module = types.ModuleType("emu.machine")
    vars(module).update(
        Machine=FakeMachine,
        GuestPanic=PanicError,
        PoweredOff=PoweredOffError,
        LimitReached=LimitReachedError,
        BadCommand=type("BadCommand", (ValueError,), {}),
        Share=Share,
    )
    monkeypatch.setitem(sys.modules, "emu.machine", module)
    monkeypatch.setattr("emu.kernel.endings.GuestPanic", PanicError)
    monkeypatch.setattr("emu.kernel.endings.PoweredOff", PoweredOffError)
    monkeypatch.setattr("emu.cli.machine_options.new_machine", FakeMachine)
    monkeypatch.setattr(FakeMachine, "behaviour", staticmethod(lambda machine: 0))
    monkeypatch.setattr(FakeMachine, "last", None, raising=False)
    return FakeMachine


def behave(monkeypatch: pytest.MonkeyPatch, behaviour: Callable[[FakeMachine], int]) -> None:
    monkeypatch.setattr(FakeMachine, "behaviour", staticmethod(behaviour))


def raising(error: BaseException) -> Callable[[FakeMachine], int]:
    def behaviour(machine: FakeMachine) -> int:
        raise error

    return behaviour


def test_trace_on_stdout_guest_on_stderr(emu: Emu) -> None:
    assert emu("run", "--", "ls /bin | cat") == Result(0, TRACE, ODD + "guest output\n")
    assert FakeMachine.last.commands == ["ls /bin | cat"]
    assert FakeMachine.last.closed


def test_options_become_writes(emu: Emu) -> None:
    emu(
        "run", "-p", "function_graph", "-l", "vfs_*", "-l", "schedule", "-n", "a", "-g", "b", "-g", "c",
        "-F", "-P", "7", "-P", "8", "-O", "nomarkers", "-O", "sym-addr", "-b", "64",
        "-C", "mono", "-m", "9", "--profile", "--set", "max_graph_depth=3", "--set", "a=b=c", "ls", "-l",
    )  # fmt: skip
    assert FakeMachine.last.tracefs.written == [
        ("tracing_on", "0"),
        ("buffer_size_kb", "9"),
        ("trace_clock", "mono"),
        ("set_ftrace_filter", "vfs_* schedule"),
        ("set_ftrace_notrace", "a"),
        ("set_graph_function", "b c"),
        ("set_ftrace_pid", "7 8"),
        ("set_event_pid", "7 8"),
        ("current_tracer", "function_graph"),
        ("trace_options", "nomarkers"),
        ("trace_options", "sym-addr"),
        ("max_graph_depth", "3"),
        ("a", "b=c"),
        ("function_profile_enabled", "1"),
    ]
    assert FakeMachine.last.commands == [("ls", "-l")]
    assert FakeMachine.last.follow


def test_events_are_enabled_after_the_tracer_is_set(emu: Emu) -> None:
    emu("run", "-e", "sched:sched_switch", "-p", "function", "-e", "irq", "-O", "sym-addr", "true")
    assert FakeMachine.last.tracefs.written[1:] == [
        ("current_tracer", "function"),
        ("set_event", "sched:sched_switch irq"),
        ("trace_options", "sym-addr"),
    ]


def test_all_events(emu: Emu) -> None:
    emu("run", "-e", "all", "true")
    assert FakeMachine.last.tracefs.written == [("tracing_on", "0"), ("set_event", "*:*")]


def test_an_event_that_does_not_exist(emu: Emu) -> None:
    assert emu("run", "-e", "bogus", "true") == Result(2, b"", ODD + "emu: -e: bogus is bad\n")
    assert not FakeMachine.last.commands


def test_events_without_a_name(emu: Emu) -> None:
    assert emu("run", "-e", " ", "true") == Result(2, b"", "emu: -e '' selects nothing: -e all records all events\n")


def test_filters_and_triggers_are_of_the_event_before_them(emu: Emu) -> None:
    emu(
        "run", "-e", "sched:sched_switch", "-f", "prev_pid == 0", "-p", "function", "-R", "stacktrace:3", "-R", "traceoff",
        "-e", "irq", "-e", "sched_waking", "-f", "pid > 1", "-f", "prio < 100", "true",
    )  # fmt: skip
    assert FakeMachine.last.tracefs.written[1:] == [
        ("current_tracer", "function"),
        ("set_event", "sched:sched_switch irq sched_waking"),
        ("events/sched/sched_switch/filter", "prev_pid == 0"),
        ("events/sched/sched_switch/trigger", "stacktrace:3"),
        ("events/sched/sched_switch/trigger", "traceoff"),
        ("events/sched/sched_waking/filter", "(pid > 1) && (prio < 100)"),
    ]


@pytest.mark.parametrize(
    ("event", "folders"),
    [
        ("sched", ["sched"]),
        ("sched:", ["sched"]),
        ("sched:*", ["sched/sched_switch", "sched/sched_waking"]),
        ("*:*_start", ["timer/hrtimer_start"]),
        ("*r*", ["irq", "timer", "irq/irq_handler_entry", "timer/hrtimer_start"]),
        ("all", ["sched", "irq", "timer"]),
    ],
)
def test_a_filter_is_for_all_that_the_event_names(emu: Emu, event: str, folders: list[str]) -> None:
    emu("run", "-e", event, "-f", "x", "true")
    assert FakeMachine.last.tracefs.written[2:] == [(f"events/{folder}/filter", "x") for folder in folders]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["-f", "x", "-e", "sched"], "-f 'x' must come after the -e that it is about"),
        (["-R", "x"], "-R 'x' must come after the -e that it is about"),
        (["-e", "sched", "-R", "x"], "-R: 'sched' is a system; only an event, SYSTEM:EVENT, has triggers"),
    ],
)
def test_filters_and_triggers_of_nothing(emu: Emu, arguments: list[str], why: str) -> None:
    result = emu("run", *arguments, "true")
    assert (result.status, result.out) == (2, b"")
    assert result.err.removeprefix(ODD) == f"emu: {why}\n"


def test_the_machine_is_as_asked(emu: Emu) -> None:
    emu("run", "--cpus", "4", "--seed", "7", "--quantum", "500", "--memory", "64M", "--frequency", "1GHz", "true")
    assert FakeMachine.last.options == {
        "cpus": 4,
        "seed": 7,
        "quantum": 500,
        "frequency": 1_000_000_000,
        "host_tree": False,
        "memory": 64 << 20,
        "image": None,
        "userland": None,
        "ramdisk": None,
        "patching": None,
        "command_line": "",
        "smi": None,
        "timing": None,
        "cpu_model": None,
        "tracer_cost": "none",
        "shares": (),
        "boot_limit": None,
        "boot_host_limit": None,
    }


def test_its_models_are_as_asked(emu: Emu) -> None:
    emu("run", "--timing", "caches", "--cpu-model", "zen4", "true")
    options = FakeMachine.last.options
    assert (options["timing"], options["cpu_model"]) == ("caches", "zen4")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "Missing argument 'COMMAND...'."),
        (["run", "--cpus", "x", "true"], "Invalid value for '--cpus': 'x' is not a valid integer."),
        (["run", "--arch", "vax", "true"], "there is no architecture 'vax'"),
        (["run", "-p", "bogus", "true"], "-p: bogus is bad"),
        (["run", "--set", "nosuch=1", "true"], "--set nosuch: 1 is bad"),
        (["run", "--set", "tracing_on", "true"], "--set tracing_on: FILE=VALUE is needed"),
        (["run", "--set", "=1", "true"], "--set =1: FILE=VALUE is needed"),
        (["run", "-l", "vfs_read", "-l", "", "true"], "-l '' selects nothing: leave it out to trace everything"),
        (["run", "-p", "function", "--max-latency", "true"], "--max-latency needs a tracer that measures one: -p irqsoff, "),
        (["run", "-m", "5", "-O", "nooverwrite", "true"], "-m keeps the end of the trace, -O nooverwrite its beginning"),
        (["run", "--what", "true"], "No such option '--what'"),
        (["run", "-o", "/nosuch/file", "true"], "cannot write /nosuch/file: No such file or directory"),
        (["run", "-o", "/", "true"], "cannot write /: Is a directory"),
        (["walk"], "No such command 'walk'."),
    ],
)
def test_bad_input_is_one_line_and_nothing_runs(emu: Emu, arguments: list[str], message: str) -> None:
    result = emu(*arguments)
    assert (result.status, result.out) == (2, b"")
    complaint = result.err.removeprefix(ODD)
    assert complaint.startswith(f"emu: {message}")
    assert complaint.count("\n") == 1
    assert FakeMachine.last is None or FakeMachine.last.commands == []


def test_the_status_is_the_command_s(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    behave(monkeypatch, lambda machine: 127)
    assert emu("run", "nosuch").status == 127
    behave(monkeypatch, raising(PoweredOffError()))
    assert emu("run", "poweroff") == Result(7, TRACE, ODD + "guest output\n")


def test_ctrl_c_still_writes_the_trace(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    behave(monkeypatch, raising(KeyboardInterrupt()))
    assert emu("run", "sleep", "9") == Result(130, TRACE, ODD + "guest output\n")


def test_a_panic_is_told_after_the_trace(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    behave(monkeypatch, raising(PanicError("guest panic on CPU 0: oops\nbacktrace:")))
    assert emu("run", "x") == Result(125, TRACE, ODD + "guest output\nemu: guest panic on CPU 0: oops\nbacktrace:\n")


def test_an_output_file_is_replaced_whole(emu: Emu, tmp_path: Path) -> None:
    target = tmp_path / "trace.txt"
    assert emu("run", "-o", str(target), "true").out == b""
    assert target.read_bytes() == TRACE
    target.write_text("old")
    target.chmod(0o600)
    emu("run", "-o", str(target), "true")
    assert target.read_bytes() == TRACE
    assert target.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["trace.txt"]


@pytest.mark.parametrize("bad", [["-p", "bogus"], ["--arch", "vax"]])
def test_an_output_file_is_left_alone_when_nothing_runs(emu: Emu, tmp_path: Path, bad: list[str]) -> None:
    old = tmp_path / "old"
    old.write_text("precious")
    for path in (old, tmp_path / "new"):
        assert emu("run", "-o", str(path), *bad, "true").status == 2
    assert old.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [old]


def test_an_output_may_be_a_device(emu: Emu) -> None:
    assert emu("run", "-o", "/dev/stdout", "true").out == TRACE
    assert emu("run", "-o", "/dev/full", "true").err.endswith("emu: cannot write /dev/full: No space left on device\n")


def test_help_shows_examples(emu: Emu) -> None:
    assert b"emu run -p function_graph -- ls /bin" in emu("run", "--help").out
    assert b"emu shell --cpus 4" in emu("shell", "--help").out
    assert emu().status == 2


def test_the_shell_runs_a_script(emu: Emu) -> None:
    assert emu("shell", stdin=b"ls\n") == Result(0, b"boot message\nguest output\n", ODD)
    assert (FakeMachine.last.commands, FakeMachine.last.input) == ([["sh"]], b"ls\n")


def test_a_closed_pipe_is_no_error() -> None:
    program = "from emu.cli.output import open_output; open_output(None).write(lambda: [b'x' * 100000] * 9)"
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0
