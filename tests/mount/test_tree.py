# SPDX-License-Identifier: GPL-2.0-only
"""A mounted tree: its files are the machine's own, and the host's programs wait, poll, and get errors as in the guest."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.architectures import ARCHITECTURES
from emu.ftrace.native.ring_record import PAGE_SIZE
from emu.machine import Machine
from tests.lib.mounted import EMU, Mount, is_mounted, needs_fuse, readable, run_host, started

pytestmark = needs_fuse
WAITING = {"trace_pipe", "trace_pipe_raw", "snapshot_raw"}


@pytest.fixture(scope="module", params=ARCHITECTURES)
def mount(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mount]:
    with Mount(tmp_path_factory.mktemp("mounted"), "--arch", request.param, "--timing", "static") as made:
        made.arch = request.param  # type: ignore[attr-defined]
        yield made
        assert made.end(signal.SIGINT) == 0
        assert not is_mounted(made.path)


def test_files_are_the_machines_own(mount: Mount) -> None:
    """Neither machine has been used yet, so each file has the same text in both."""
    with Machine(arch=mount.arch, timing="static") as machine:  # type: ignore[attr-defined]
        for folder in ("", "options", "per_cpu/cpu1", "events/sched/sched_switch", "instances"):
            names = machine.tracefs.listdir(folder)
            assert sorted(os.listdir(mount.path / folder)) == sorted(names)
            for name in set(names) - WAITING:
                path = f"{folder}/{name}"
                if (mount.path / path).is_file() and os.stat(mount.path / path).st_mode & 0o400:
                    assert (mount.path / path).read_text(errors="surrogateescape") == machine.tracefs.read(path), path


@pytest.mark.parametrize(
    ("file", "text", "number"),
    [
        ("current_tracer", "funtion", errno.EINVAL),
        ("set_ftrace_filter", "no_such_function", errno.EINVAL),
        ("events/sched/sched_switch/filter", "bogus == 1", errno.EINVAL),
        ("available_tracers", "nop", errno.EINVAL),
        ("no_such_file", "1", errno.ENOENT),
        (".emu/proc/sys/kernel/kptr_restrict", "1", errno.EINVAL),
    ],
)
def test_a_write_is_refused_as_in_the_guest(mount: Mount, file: str, text: str, number: int) -> None:
    with pytest.raises(OSError) as refused:
        mount.write(file, text)
    assert refused.value.errno == number
    assert mount.read("current_tracer") == "nop\n"


def test_what_cannot_be_made_or_removed(mount: Mount) -> None:
    for attempt, number in (
        (lambda: (mount.path / "new").write_text("x"), errno.EACCES),
        (lambda: (mount.path / "trace").unlink(), errno.EPERM),
        (lambda: (mount.path / "new").mkdir(), errno.EPERM),
        (lambda: (mount.path / "events").rmdir(), errno.EPERM),
    ):
        with pytest.raises(OSError) as refused:
            attempt()
        assert refused.value.errno == number


def test_instances_come_and_go(mount: Mount) -> None:
    instance = mount.path / "instances/one"
    instance.mkdir()
    assert "trace_pipe" in os.listdir(instance)
    with (instance / "trace").open() as held:
        with pytest.raises(OSError) as refused:
            instance.rmdir()
        assert refused.value.errno == errno.EBUSY
        held.read()
    instance.rmdir()
    assert os.listdir(instance.parent) == []
    instance.mkdir()
    with pytest.raises(FileExistsError):
        instance.mkdir()
    instance.rmdir()


def test_a_tracer_traces_commands_of_the_guest(mount: Mount) -> None:
    mount.write("set_ftrace_filter", "vfs_read")
    mount.write("current_tracer", "function")
    assert mount.guest("ls /bin | wc -l") == 0
    assert mount.guest("sh", "-c", "exit 3") == 3
    assert "vfs_read <-ksys_read" in mount.read("trace")
    mount.write("trace", "")
    assert "vfs_read" not in mount.read("trace")
    mount.write("current_tracer", "nop")
    mount.write("set_ftrace_filter", "")


def test_readers_wait_poll_and_can_be_two(mount: Mount) -> None:
    pipe = os.open(mount.path / "trace_pipe", os.O_RDONLY | os.O_NONBLOCK)
    with started(["cat", mount.path / "trace_pipe"], stdout=subprocess.PIPE) as waiting:
        assert not readable(pipe, 0.1)
        with pytest.raises(BlockingIOError):
            os.read(pipe, 100)
        mount.write("events/sched/sched_switch/enable", "1")
        assert mount.guest("ls /bin | wc -l") == 0
        mount.write("events/sched/sched_switch/enable", "0")
        assert waiting.stdout is not None
        assert b"sched_switch" in waiting.stdout.readline()
        waiting.terminate()
        rest = waiting.stdout.read()
    own = b"".join(iter(lambda: read_now(pipe), b""))
    os.close(pipe)
    lines = [line for line in (rest + own).splitlines() if b"sched_switch" in line]
    assert len(lines) == len(set(lines))  # each event went to one of them


def test_poll_wakes(mount: Mount) -> None:
    writes = f"sleep 0.3; echo here > {mount.path}/trace_marker"
    with (mount.path / "trace_pipe").open("rb", buffering=0) as pipe, started(["sh", "-c", writes]) as writer:
        assert readable(pipe.fileno(), 30)
        assert b"here" in pipe.read(4096)
        assert writer.wait(30) == 0


def test_raw_pages(mount: Mount) -> None:
    mount.write("trace_marker", "a page")
    raws = [os.open(mount.path / f"per_cpu/cpu{cpu}/trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK) for cpu in (0, 1)]
    pages = [read_now(raw, 2 * PAGE_SIZE) for raw in raws]
    for raw in raws:
        os.close(raw)
    assert sorted(map(len, pages)) == [0, PAGE_SIZE]
    assert b"a page" in b"".join(pages)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("file", ["trace_pipe", "per_cpu/cpu0/trace_pipe_raw"])
def test_who_waits_can_be_killed(mount: Mount, file: str, number: int) -> None:
    with started(["cat", mount.path / file]) as waiting:
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(0.2)
        waiting.send_signal(number)
        assert waiting.wait(10) == -number
    mount.write("current_tracer", "function")  # EBUSY as long as the pipe is open
    mount.write("current_tracer", "nop")
    mount.write("trace", "")


def test_sysctls(mount: Mount) -> None:
    for name in ("ftrace_enabled", "stack_tracer_enabled"):
        path = f".emu/proc/sys/kernel/{name}"
        before = mount.read(path).strip()
        mount.write(path, "1" if before == "0" else "0")
        assert mount.read(path).strip() != before
        mount.write(path, before)
    assert " T vfs_read\n" in mount.read(".emu/proc/kallsyms")


def test_what_the_guest_does_is_the_same_while_it_is_read(tmp_path: Path) -> None:
    """Requests come at times determined by the host; they do not affect the guest."""
    words = ["--cpus", "3", "-p", "function", "-b", "8000", "--"]
    command = "for i in 1 2 3; do ls /bin | wc -l; done"
    expected = run_host([*EMU, "run", *words, command])
    with Mount(tmp_path / "t", *words, command) as mount:
        reads = f"while :; do cat {mount.path}/per_cpu/cpu?/stats {mount.path}/README; done"
        with started(["sh", "-c", reads], stdout=subprocess.DEVNULL):
            assert mount.guest("true") == 0  # waits until the command has ended
        assert mount.read("trace") == expected


def read_now(number: int, size: int = 1 << 16) -> bytes:
    """What can be read without waiting."""
    try:
        return os.read(number, size)
    except BlockingIOError:
        return b""
