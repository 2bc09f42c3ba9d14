# SPDX-License-Identifier: GPL-2.0-only
"""Machine.checkpoint() and restore(): what is restored, what is refused, and what stays as it is."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emu.cpu.snapshot import Unsaveable
from emu.cpu.snapshot.objects import Objects
from emu.ftrace.tracefs.text_file import TextFile
from emu.kernel.files.node import OpenFlags
from emu.machine import GuestPanic, LimitReached, Machine, PoweredOff
from tests.lib.busy_machine import act, busy_machine, digest

_MEMORY = 32 << 20


@pytest.fixture(scope="module")
def busy(arch: str) -> Iterator[Machine]:
    with busy_machine(arch, seed=7) as machine:
        yield machine


@pytest.fixture(scope="module")
def machine(arch: str) -> Iterator[Machine]:
    with Machine(arch=arch, cpus=2, memory=_MEMORY) as machine:
        yield machine


@pytest.fixture
def idle(machine: Machine) -> Iterator[Machine]:
    """An idle machine. What a test does with it is undone."""
    checkpoint = machine.checkpoint()
    yield machine
    machine.restore(checkpoint)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=st.lists(st.integers(0, 1000), max_size=2), after=st.lists(st.integers(0, 1000), min_size=1, max_size=3))
def test_any_acts_and_back(busy: Machine, before: list[int], after: list[int]) -> None:
    start = busy.checkpoint()
    for number in before:
        act(busy, number)
    checkpoint, then = busy.checkpoint(), digest(busy)
    answers = [act(busy, number) for number in after]
    end = digest(busy)
    busy.restore(checkpoint)
    assert digest(busy) == then
    assert [act(busy, number) for number in after] == answers
    assert digest(busy) == end
    busy.restore(start)


def test_everything_in_python_is_put_back(busy: Machine) -> None:
    """Finds and compares all objects of a machine, by a walk independent of the checkpoint's."""
    checkpoint = busy.checkpoint()
    apart = [busy._checkpoints, busy.board.arch, busy.board.arch.timing()]
    objects = Objects([busy], apart)
    memory = [(one, one.used(), one.pages[one.used()]) for one in objects.memory]
    for number in range(12):
        act(busy, number)
    busy.tracefs.mkdir("instances/of_later")
    assert len(objects.changed()) > 10
    busy.restore(checkpoint)
    assert objects.changed() == set()
    for one, numbers, pages in memory:
        assert list(one.used()) == list(numbers) and (one.pages[numbers] == pages).all()


def test_memory_that_is_made_later_is_put_back(idle: Machine) -> None:
    """Ring buffers of another size, of an instance, and of a snapshot."""
    idle.checkpoint()
    idle.tracefs.write("current_tracer", "function")
    idle.tracefs.write("buffer_size_kb", "200")
    idle.tracefs.mkdir("instances/one")
    idle.tracefs.write("instances/one/events/enable", "1")
    idle.run("ls")
    idle.tracefs.write("snapshot", "1")
    later, files = idle.checkpoint(), ("trace", "snapshot", "instances/one/trace", "per_cpu/cpu0/stats")
    texts = [idle.tracefs.read(file) for file in files]
    idle.run("ls -l /bin")
    idle.tracefs.write("trace", "")
    idle.tracefs.write("buffer_size_kb", "20")
    idle.tracefs.write("snapshot", "0")
    idle.tracefs.rmdir("instances/one")
    idle.restore(later)
    assert [idle.tracefs.read(file) for file in files] == texts
    assert len(texts[2].splitlines()) > 100


def test_a_dump_goes_on_in_its_midst(idle: Machine) -> None:
    idle.tracefs.write("current_tracer", "function")
    with pytest.raises(LimitReached):
        idle.run("echo z > /proc/sysrq-trigger", limit=1_000_000)
    while b"-----\n" not in idle._output:  # its first line
        idle.advance(1_000)
    checkpoint, outputs = idle.checkpoint(), []
    for _ in range(2):
        idle.restore(checkpoint)
        idle.advance(2_000_000)
        outputs.append((bytes(idle._output), idle.tracefs.read("trace")))
    assert outputs[0] == outputs[1] and outputs[0][0].count(b"\n") > 50


def test_a_reader_of_a_long_text_goes_on_in_its_midst(idle: Machine) -> None:
    handle = TextFile(lambda: lambda: map("{}\n".format, range(30))).open(OpenFlags.READ)
    text = handle.read(0, 100)
    objects = Objects([handle])
    for _ in range(2):
        rest = b""
        while piece := handle.read(len(text) + len(rest), 100):
            assert isinstance(piece, bytes)
            rest += piece
        assert text + rest == "".join(f"{n}\n" for n in range(30)).encode()
        assert objects.changed()
        objects.back_to_base(objects.changed())
        assert not objects.changed()


def test_stale_translations_come_back(idle: Machine) -> None:
    """A CPU that did not receive a change keeps executing its old translation, also after a restore."""
    idle.tracefs.write("set_ftrace_filter", "kmem_cache_alloc")
    idle.run("busy 4 2")
    idle.patching.deaf_cpus = {1}
    idle.tracefs.write("current_tracer", "function")
    checkpoint = idle.checkpoint()
    traces = []
    for _ in range(2):
        idle.run("busy 4 1")
        traces.append(idle.tracefs.read("trace"))
        idle.patching.deaf_cpus = set()
        idle.tracefs.write("current_tracer", "nop")
        idle.tracefs.write("current_tracer", "function")
        idle.run("busy 4 1")
        assert idle.tracefs.read("per_cpu/cpu1/trace").count("kmem_cache_alloc") > 10
        idle.restore(checkpoint)
    assert traces[0] == traces[1]
    calls = [traces[0].count(f"[00{cpu}]") for cpu in (0, 1)]
    assert calls[0] > 10 * calls[1]


def test_checkpoints_are_restored_in_any_order(idle: Machine) -> None:
    names = "abcd"
    empty = idle.checkpoint()
    taken = {}
    for n, name in enumerate(names):
        idle.run(f"echo {name} > /tmp/{name}")
        taken[names[: n + 1]] = idle.checkpoint()
    for present in ("ab", "abcd", "a", "abc", "abcd"):
        idle.restore(taken[present])
        assert idle.run("cat /tmp/?").output.split() == [name.encode() for name in present]
    idle.restore(empty)
    assert idle.run("ls /tmp").output == b""
    assert re.fullmatch(r"<checkpoint: [\d,]+ KiB>", repr(taken["a"])) and 0 < taken["a"].size < 8 << 20


def test_a_checkpoint_cannot_leave_its_process(idle: Machine) -> None:
    with pytest.raises(TypeError, match=r"^a checkpoint is of one machine in one process"):
        pickle.dumps([idle.checkpoint()])


def test_a_machine_lives_again(idle: Machine) -> None:
    checkpoint = idle.checkpoint()
    idle.kernel.power_off(idle.board.cpus[0], 0)
    with pytest.raises(PoweredOff):
        idle.advance(1)
    idle.restore(checkpoint)
    with pytest.raises(GuestPanic):
        idle.run("echo c > /proc/sysrq-trigger")
    idle.restore(checkpoint)
    with pytest.raises(LimitReached):
        idle.run("sleep 100", limit=1_000_000)
    hung = idle.checkpoint()
    idle.restore(checkpoint)
    assert idle.run("echo alive").output == b"alive\n"
    idle.restore(hung)
    assert idle.run("echo alive").output == b"alive\n"


def test_open_files_of_a_shared_folder_stay_open(tmp_path: Path) -> None:
    """Even if the guest has closed them since, and the host has removed them."""
    lines = "".join(f"{n}\n" for n in range(10))
    (tmp_path / "lines").write_text(lines)
    with Machine(memory=_MEMORY, shares=[f"{tmp_path}:/mnt"]) as machine:
        machine.run("(read first; usleep 20000; cat > /tmp/rest; usleep 10000) < /mnt/lines &")
        machine.advance(1_000_000)
        checkpoint, rests = machine.checkpoint(), []
        for _ in range(2):
            machine.advance(5_000_000)
            rests.append(machine.run("cat /tmp/rest").output.decode())
            (tmp_path / "lines").unlink(missing_ok=True)
            machine.restore(checkpoint)
        assert rests == [lines.removeprefix("0\n")] * 2


def test_machines_do_not_touch_each_other() -> None:
    with Machine(memory=_MEMORY) as one, Machine(memory=_MEMORY) as other:
        of_one = one.checkpoint()
        one.run("ls /bin")
        other.run("ls /bin")
        before = digest(other)
        one.restore(of_one)
        assert digest(other) == before
        assert other.run("echo alive").output == one.run("echo alive").output == b"alive\n"
        with pytest.raises(ValueError, match="another machine"):
            other.restore(of_one)


def test_a_running_machine_is_refused() -> None:
    refused: list[str] = []

    def takes_one(*arguments: object) -> list[object]:
        with pytest.raises(RuntimeError, match="in the midst of a call") as error:
            machine.checkpoint()
        refused.append(str(error.value))
        return []

    with Machine(memory=_MEMORY, console=takes_one) as machine:
        machine.run("echo x")
        assert refused
        refused.clear()
        machine.patching.protocol = takes_one
        machine.tracefs.write("current_tracer", "function")
        assert refused
        assert machine.board.stands


def test_a_closed_machine_is_refused() -> None:
    with Machine(memory=_MEMORY) as machine:
        checkpoint = machine.checkpoint()
    for use in (machine.checkpoint, lambda: machine.restore(checkpoint)):
        with pytest.raises(ValueError, match="the machine is closed"):
            use()


def test_what_cannot_be_put_back_is_refused(idle: Machine) -> None:
    """A refusal changes nothing: without the obstacle, the next checkpoint succeeds."""
    idle.kernel.commands.an_iterator = iter([1])
    with pytest.raises(Unsaveable, match="a list_iterator, which a Commands holds"):
        idle.checkpoint()
    del idle.kernel.commands.an_iterator
    checkpoint = idle.checkpoint()
    idle.kernel.commands.an_iterator = iter([1])
    with pytest.raises(Unsaveable, match="a list_iterator, which a Commands holds"):
        idle.checkpoint()
    idle.restore(checkpoint)
    assert idle.run("echo alive").output == b"alive\n"


def test_callbacks_of_the_user_are_not_put_back() -> None:
    written: list[bytes] = []
    with Machine(memory=_MEMORY, console=written.append) as machine:
        checkpoint = machine.checkpoint()
        machine.run("echo one")
        machine.restore(checkpoint)
        machine.run("echo two")
    assert b"".join(written) == b"one\ntwo\n"


def test_checkpoints_of_different_bases_are_restored_in_any_order(idle: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """When much has changed, a checkpoint becomes the base of the following ones. Here each one does."""
    taken = []
    for n in range(3):
        idle.run(f"echo {n} > /tmp/{n}")
        monkeypatch.setattr(idle._checkpoints._base, "used", 0)
        taken.append((idle.checkpoint(), digest(idle)))
    assert [checkpoint.size for checkpoint, _ in taken] == [0, 0, 0]
    for n in (1, 0, 2, 2, 0):
        checkpoint, then = taken[n]
        idle.restore(checkpoint)
        assert digest(idle) == then
        assert idle.run("cat /tmp/?").output == b"".join(b"%d\n" % k for k in range(n + 1))
