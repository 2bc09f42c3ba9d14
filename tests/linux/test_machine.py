# SPDX-License-Identifier: GPL-2.0-only
"""A booted Linux: commands and what they are given, limits, time, and the ways in which it ends."""

from __future__ import annotations

import hashlib
import random
import re
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from emu.cpu import board
from emu.guest_machine import BadCommand, Completed, GuestMachine
from emu.kernel.endings import GuestPanic, PoweredOff
from emu.kernel.limits import LimitReached
from emu.linux.find import kernels
from emu.linux.machine import LinuxMachine
from emu.machine import Machine

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

ROOT = Path(__file__).resolve().parents[2]
BUSY = "while :; do :; done"
PROCESSES = "ls -d /proc/[0-9]* | wc -l"


def as_guests(linux: LinuxMachine, own: Machine) -> tuple[GuestMachine, GuestMachine]:
    """Both are such; see the test below."""
    return linux, own


@pytest.mark.long("mypy reads everything that this file imports")
def test_both_machines_are_guest_machines() -> None:
    done = subprocess.run([sys.executable, "-m", "mypy", __file__], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


class Arriving:
    """Input that comes in pieces. None: there is nothing at the moment."""

    def __init__(self, *pieces: bytes | None) -> None:
        self.pieces = deque(pieces)

    def read(self, *, wait: bool) -> bytes | None:
        return self.pieces.popleft() if self.pieces else b""


class Keyboard(Arriving):
    """A terminal, at which the pieces are typed one after the other, each after the text that is awaited has been written."""

    def __init__(self, written: Callable[[], bytes], *typed: tuple[bytes, bytes]) -> None:
        super().__init__()
        self.written, self.typed, self.rows = written, deque(typed), 25

    def size(self) -> tuple[int, int]:
        return self.rows, 70

    def read(self, *, wait: bool) -> bytes | None:
        if self.typed and self.typed[0][0] in self.written():
            return self.typed.popleft()[1]
        return None


# Commands


def test_one_word_is_a_line_for_the_shell(shared: LinuxMachine) -> None:
    assert shared.run("x=$((1 + 2)); echo $x | cat; (exit 4)") == Completed(4, b"3\n")


def test_several_words_are_as_they_are(shared: LinuxMachine) -> None:
    words: list[str | bytes] = ["a b", "", "$x", "'\"\\", "*", "\n", "grün", "\udcff", b"\x80\xfe", bytes(range(1, 256))]
    shown = [word if isinstance(word, bytes) else word.encode(errors="surrogateescape") for word in words]
    done = shared.run(["printf", "<%s>", *words])
    assert done == Completed(0, b"".join(b"<%b>" % word for word in shown))


def test_a_single_exact_word(shared: LinuxMachine) -> None:
    assert shared.run(["pwd"]) == Completed(0, b"/\n")


def test_long_words(shared: LinuxMachine) -> None:
    word = bytes(n % 255 + 1 for n in range(100 << 10))
    assert shared.run([b"printf", b"%s", word]) == Completed(0, word)


def test_the_longest_word_is_linuxs(shared: LinuxMachine) -> None:
    assert shared.run(["sh", "-c", "echo ${#1}", "sh", "x" * 131071]).output == b"131071\n"
    with pytest.raises(BadCommand, match=r"^a word of 131072 bytes: at most 131071 fit$"):
        shared.run(["echo", "x" * 131072])
    with pytest.raises(BadCommand, match=r"^a command of 2100005 bytes: at most 2097152 fit$"):
        shared.run(["echo", *["x" * 99_999] * 21])


@pytest.mark.parametrize(
    ("command", "why"),
    [([], "at least one"), ((), "at least one"), ("echo \0", "NUL"), (["echo", "a\0"], "NUL"), (["echo", b"\0"], "NUL")],
)
def test_what_is_no_command(shared: LinuxMachine, command: str | Sequence[str | bytes], why: str) -> None:
    with pytest.raises(BadCommand, match=why):
        shared.run(command)


@pytest.mark.parametrize("command", [[1], ["echo", None], b"ls", 5, None, [bytearray(b"ls")]])
def test_a_word_of_another_type(shared: LinuxMachine, command: object) -> None:
    with pytest.raises(TypeError):
        shared.run(command)  # type: ignore[arg-type]  # that is the point
    assert shared.run("echo alive").output == b"alive\n"


def test_output_and_errors_are_apart(shared: LinuxMachine) -> None:
    done = shared.run("echo one; echo two >&2; echo three; echo four >&2; exit 5")
    assert done == Completed(5, b"one\nthree\n", b"two\nfour\n")


@pytest.mark.parametrize(
    ("command", "status"),
    [("kill -TERM $$", 143), (["sh", "-c", "kill -9 $$"], 137), ("exit 255", 255), ("sh -c 'kill -SEGV $$'", 139)],
)
def test_death_by_a_signal(shared: LinuxMachine, command: str | list[str], status: int) -> None:
    assert shared.run(command).status == status


def test_a_program_that_does_not_exist_or_cannot_be_run(shared: LinuxMachine) -> None:
    done = shared.run(["nosuch", "word"])
    assert (done.status, done.output) == (127, b"") and done.errors.startswith(b"init: nosuch: ")
    done = shared.run(["/proc/version"])
    assert (done.status, done.output) == (126, b"") and b"ermission denied" in done.errors
    assert shared.run("nosuch").status == 127


def test_a_missing_interpreter(machine: LinuxMachine) -> None:
    assert machine.run("printf '#!/bin/nosuch\n' >/x; chmod +x /x").status == 0
    said = b"init: /x: its interpreter /bin/nosuch is not in the guest's tree; --rootfs puts it there\n"
    assert machine.run(["/x"]) == Completed(127, b"", said)


def test_the_environment(shared: LinuxMachine) -> None:
    done = shared.run("echo $NAME $HOME", environment=["NAME=a value", "HOME=/proc"])
    assert done.output == b"a value /proc\n"
    assert shared.run("echo [$NAME] $HOME").output == b"[] /root\n"


def test_all_cpus_are_used(shared: LinuxMachine) -> None:
    assert shared.run("nproc; for n in 0 1; do taskset $((1 << n)) cut -d' ' -f39 /proc/self/stat; done").output == b"2\n0\n1\n"


# Input


def test_bytes_are_its_input(shared: LinuxMachine) -> None:
    data = bytes(range(256)) * 20
    assert shared.run(["cat"], stdin=data) == Completed(0, data)
    assert shared.run("cat") == Completed(0, b"")


def test_input_that_comes_by_and_by(shared: LinuxMachine) -> None:
    source = Arriving(b"one\n", None, None, b"two", None, b"\nthree\n", b"")
    assert shared.run("while read line; do echo [$line]; done", stdin=source).output == b"[one]\n[two]\n[three]\n"


@pytest.mark.long("boots all kernels that there are")
@pytest.mark.parametrize("kernel", [found.path for found in kernels()], ids=[found.version for found in kernels()])
def test_much_input(kernel: Path, kept_machines: Path) -> None:
    """Also of bytes that a terminal would not pass on. Only this long, it meets a serial driver that has found too much work."""
    data = random.Random(1).randbytes(1 << 20) + bytes(range(256)) + b"\x03\x04\x11\x13\r\n\x7f\xff\0"
    command = "cat > /tmp/f; chmod 755 /tmp/f; sha256sum < /tmp/f"
    with LinuxMachine(kernel=kernel) as machine:
        assert machine.run(command, stdin=data, limit=60 * 10**9).output.split()[0].decode() == hashlib.sha256(data).hexdigest()
        assert machine.run("cat /tmp/f", limit=60 * 10**9).output == data
        assert machine.run("cat | cat", stdin=data, limit=60 * 10**9).output == data
        assert machine.run("sleep 0.1; head -c 5; sleep 0.1; echo x", stdin=data).output == data[:5] + b"x\n"
        assert machine.run("sleep 0.1", stdin=data) == Completed(0, b"")
        assert machine.run("cat", stdin=b"next").output == b"next"


def test_input_that_nobody_reads(shared: LinuxMachine) -> None:
    assert shared.run("exit 6", stdin=bytes(1 << 20)).status == 6
    assert shared.run("cat", stdin=b"next").output == b"next"


def test_a_terminal(shared: LinuxMachine) -> None:
    keyboard = Keyboard(lambda: bytes(shared._output), (b"$ ", b"stty size\r"), (b"25 70\r\n$ ", b"exit 7\r"))
    done = shared.run(["sh", "-i"], terminal=keyboard, environment=["PS1=$ "])
    assert done.status == 7 and done.errors == b""
    assert re.fullmatch(rb"(?s:.*)\$ (\x1b\[6n)?stty size\r\n25 70\r\n\$ (\x1b\[6n)?exit 7\r\n", done.output)
    assert shared.run("tty; stty size").output == b"not a tty\n"


def test_a_terminal_that_is_gone(shared: LinuxMachine) -> None:
    before = shared.run(PROCESSES)

    class Gone(Keyboard):
        def read(self, *, wait: bool) -> bytes | None:
            return b"" if b"go" in self.written() else None

    assert shared.run("echo go; cat", terminal=Gone(lambda: bytes(shared._output))).status == 137
    assert shared.run(PROCESSES) == before


# Time


def test_background_jobs_go_on(machine: LinuxMachine) -> None:
    machine.run("(usleep 30000; echo late > /late) > /dev/null 2>&1 &")
    assert machine.run("cat /late").status == 1
    now = machine.board.now
    assert machine.advance(machine.board.cycles(50_000_000))
    assert machine.board.now >= now + machine.board.cycles(50_000_000)
    assert machine.run("cat /late") == Completed(0, b"late\n")


def test_what_a_background_job_writes_is_output_too(kept_machines: Path, real_kernel: Path) -> None:
    output: list[bytes] = []
    with LinuxMachine(kernel=real_kernel, output=output.append) as machine:
        assert machine.run("(usleep 30000; echo late) & echo soon").output == b"soon\n"
        machine.advance(machine.board.cycles(50_000_000))
    assert b"".join(output) == b"soon\nlate\n"


def test_time_cannot_go_back(shared: LinuxMachine) -> None:
    with pytest.raises(ValueError, match="-1 cycles cannot pass"):
        shared.advance(-1)


@pytest.mark.parametrize("command", [BUSY, "sleep 1000", f"trap '' INT TERM HUP; sleep 1000 & {BUSY}"])
def test_what_a_limit_left_running_is_killed_by_the_next_run(shared: LinuxMachine, command: str) -> None:
    before = shared.run(PROCESSES)
    with pytest.raises(LimitReached, match=r"^5 ms of virtual time have passed\nCPU 0: .*\nCPU 1: .*") as reached:
        shared.run(command, limit=5_000_000)
    for line in str(reached.value).splitlines()[1:]:
        assert re.fullmatch(r"CPU [01]: (user mode, 0x\w+|(asleep|kernel), \w+\+0x\w+/0x\w+(, interrupts off)?)", line)
    assert shared.run(PROCESSES) == before


def test_a_limit_is_exact_to_a_quantum(shared: LinuxMachine) -> None:
    before = shared.board.now
    with pytest.raises(LimitReached):
        shared.run(BUSY, limit=3_000_000)
    assert 3_000_000 <= shared.board.nanoseconds(shared.board.now - before) < 3_000_000 + shared.board.arch.longest_turn


def test_a_command_that_has_not_even_started_is_killed(shared: LinuxMachine) -> None:
    for limit in (0, 1):
        with pytest.raises(LimitReached):
            shared.run("echo never", limit=limit)
    assert shared.run("echo next") == Completed(0, b"next\n")


def test_host_time_is_bounded(shared: LinuxMachine) -> None:
    with pytest.raises(LimitReached, match=r"0\.2 s of host time have passed"):
        shared.run(BUSY, host_limit=0.2)
    assert shared.run("echo next", host_limit=100, limit=10**10) == Completed(0, b"next\n")


# Ends


@pytest.mark.parametrize("command", ["poweroff -f", "reboot -f", ["poweroff", "-f"]])
def test_a_guest_that_switches_itself_off(machine: LinuxMachine, command: str) -> None:
    with pytest.raises(PoweredOff) as off:
        machine.run(command)
    assert off.value.status == 0


def test_a_panic(machine: LinuxMachine) -> None:
    with pytest.raises(GuestPanic) as panic:
        machine.run("echo c > /proc/sysrq-trigger")
    first, place, *lines = str(panic.value).splitlines()
    assert re.fullmatch(r"guest panic on CPU [01]: sysrq triggered crash", first)
    assert re.fullmatch(r"  ip [0-9a-f]{16}  panic\+0x0/0x\w+", place)
    assert re.match(r" *rax [0-9a-f]{16} +rcx [0-9a-f]{16} +\w+ [0-9a-f]{16}$", lines[0])
    start, end = lines.index("backtrace:"), lines.index("last console lines:")
    calls = [line.removeprefix("  ").removeprefix("? ") for line in lines[start + 1 : end]]
    assert [call.partition("+")[0] for call in calls][:2] == ["panic", "sysrq_handle_crash"]
    assert any(call.startswith("vfs_write+") for call in calls)
    assert re.fullmatch(r"  \[ +\d+\.\d+\] ---\[ end Kernel panic - not syncing: sysrq triggered crash \]---", lines[-1])
    assert len(lines[end:]) <= 11
    assert not machine.warnings


def test_a_panic_ends_at_the_same_instant(machine: LinuxMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the host runs the guest without a look at it (more in test_endings.py)."""
    before, ends = machine.checkpoint(), []
    for microseconds in (0, 50_000):
        monkeypatch.setattr(board, "_TURN_SLICE", microseconds)
        with pytest.raises(GuestPanic) as panic:
            machine.run("echo c > /proc/sysrq-trigger")
        ends.append((str(panic.value), [(cpu.cycles, dict(cpu.registers())) for cpu in machine.board.cpus]))
        machine.restore(before)
    assert ends[0] == ends[1]


def test_a_closed_machine(kept_machines: Path, real_kernel: Path, tmp_path: Path) -> None:
    machine = LinuxMachine(kernel=real_kernel)
    checkpoint, cpu = machine.checkpoint(), machine.cpus[0]
    assert repr(machine) == "<machine: Linux, 2 CPUs>"
    machine.close()
    machine.close()
    assert repr(machine) == "<machine: Linux, 2 CPUs, closed>"
    uses: list[Callable[[], object]] = [
        lambda: machine.run("true"), lambda: machine.advance(1), machine.checkpoint, lambda: machine.restore(checkpoint),
        lambda: machine.save(tmp_path / "m"), lambda: cpu.registers, lambda: cpu.pc, lambda: cpu.activity, cpu.step,
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(ValueError, match=r"^the machine is closed$"):
            use()
    assert not (tmp_path / "m").exists()


def test_it_cannot_be_run_by_what_it_calls(kept_machines: Path, real_kernel: Path, tmp_path: Path) -> None:
    said: list[str] = []
    uses: list[Callable[[], object]] = [
        lambda: machine.run("true"), lambda: machine.advance(1), lambda: machine.checkpoint(), lambda: machine.cpus[0].step(),
        lambda: machine.save(tmp_path / "m"),
    ]  # fmt: skip

    def tries(data: bytes) -> None:
        for use in uses:
            with pytest.raises(RuntimeError) as error:
                use()
            said.append(str(error.value))

    with LinuxMachine(kernel=real_kernel, output=tries) as machine:
        assert machine.run("echo x") == Completed(0, b"x\n")
        assert said == ["the machine is in the midst of a call"] * len(uses)
        assert machine.run("echo x >&2") == Completed(0, b"", b"x\n")


def test_what_a_callback_raises_ends_the_run(kept_machines: Path, real_kernel: Path) -> None:
    def fails(data: bytes) -> None:
        if b"bad" in data:
            raise OSError("no room")

    with LinuxMachine(kernel=real_kernel, errors=fails) as machine:
        with pytest.raises(OSError, match=r"^no room$"):
            machine.run(f"echo bad >&2; {BUSY}")
        assert machine.run("echo next") == Completed(0, b"next\n")


# CPUs


def test_cpus(shared: LinuxMachine) -> None:
    with pytest.raises(LimitReached):
        shared.run(BUSY, limit=20_000_000)
    assert [cpu.index for cpu in shared.cpus] == [0, 1]
    busy = next(cpu for cpu in shared.cpus if not cpu.activity.startswith("asleep"))
    other = shared.cpus[1 - busy.index]
    assert re.fullmatch(r"asleep, \w+\+0x\w+/0x\w+", other.activity)
    assert other.symbol == other.activity.removeprefix("asleep, ")
    assert repr(busy) == f"<CPU {busy.index}: {busy.activity}>"
    assert busy.registers["rip"] == busy.pc and {"rax", "r15", "rflags"} <= set(busy.registers)
    places = set()
    clock = other.cycles
    for _ in range(50):
        assert busy.step()
        places.add(busy.pc)
    assert len(places) > 20 and other.cycles == clock
    assert f"=> {busy.pc:>16x}:" in busy.disassembly
    shared.run("true")


def test_steps_end_in_the_same_state(machine: LinuxMachine) -> None:
    """A guest that is stepped a bit goes on."""
    for _ in range(300):
        machine.cpus[0].step()
        machine.cpus[1].step()
    assert machine.run("echo alive") == Completed(0, b"alive\n")
