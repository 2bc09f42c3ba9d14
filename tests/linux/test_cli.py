# SPDX-License-Identifier: GPL-2.0-only
"""`emu run --linux` as a user types it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Emu, Result, emu
from tests.lib.emu_process import emu_with_machines
from tests.lib.terminal import on_a_terminal
from tests.linux.made_kernels import bzimage

__all__ = ["emu"]

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

Linux = Callable[..., Result]  # takes the words after `emu run --linux=FILE`


@pytest.fixture
def linux(emu: Emu, kept_machines: Path, real_kernel: Path) -> Linux:
    """`emu run --linux=FILE`. A machine without other options has been booted already."""

    def call(*arguments: str, stdin: bytes = b"") -> Result:
        return emu("run", f"--linux={real_kernel}", *arguments, stdin=stdin)

    return call


def refusal(result: Result) -> str:
    """What a command that was refused has said, in one line."""
    assert (result.status, result.out) == (2, b"") and result.err.startswith("emu: ")
    lines = [line for line in result.err.splitlines() if not line.startswith(("Usage: ", "Try "))]
    assert len(lines) == 1, result.err
    return lines[0].removeprefix("emu: ")


# What a command gets and gives


def test_output_errors_and_status(linux: Linux) -> None:
    assert linux("--", "echo one; echo two >&2; exit 3") == Result(3, b"one\n", "two\n")


def test_exact_words_and_input(linux: Linux) -> None:
    assert linux("--", "printf", "<%s>", "a b", "$x") == Result(0, b"<a b><$x>", "")
    assert linux("cat; echo $?", stdin=b"\x00\xffone") == Result(0, b"\x00\xffone0\n", "")


def test_a_missing_program(linux: Linux) -> None:
    assert linux("--", "nosuch", "word") == Result(127, b"", "init: nosuch: No such file or directory\n")


def test_a_guest_that_switches_itself_off(linux: Linux) -> None:
    assert linux("echo x; poweroff -f") == Result(0, b"x\n", "")


def test_a_command_that_is_too_long(linux: Linux) -> None:
    assert refusal(linux("--", "echo", "x" * (128 << 10))) == "a word of 131072 bytes: at most 131071 fit"


def test_the_default_kernel(emu: Emu, kept_machines: Path, real_kernel: Path, boot: Path) -> None:
    """The word after --linux is the command. A kernel's name does not matter: the machine is that of `--linux=FILE`."""
    (boot / "vmlinuz-7.0").symlink_to(real_kernel)
    assert emu("run", "--linux", "pwd") == Result(0, b"/\n", "")
    assert emu("run", "--linux", "--", "pwd") == Result(0, b"/\n", "")
    assert emu("run", "--cpus", "2", "--linux", "echo", "--linux") == Result(0, b"--linux\n", "")
    assert emu("shell", "--linux", stdin=b"pwd\nexit 4\n") == Result(4, b"/\n", "")
    assert len(list((kept_machines / "machines").iterdir())) == 1


def test_a_script_for_the_shell(emu: Emu, kept_machines: Path, real_kernel: Path) -> None:
    script = b"echo one\nx=2\necho $x >&2\nexit 7\n"
    assert emu("shell", f"--linux={real_kernel}", stdin=script) == Result(7, b"one\n", "2\n")


# Machines that are kept


def test_machines_are_listed_and_removed(emu: Emu, no_machines: Path, machines_folder: Path, real_kernel: Path) -> None:
    folder = no_machines / "machines"
    folder.mkdir(parents=True)
    [booted] = (machines_folder / "machines").glob("*.machine")
    shutil.copy(booted, folder)
    (folder / "bad.machine").write_bytes(bytes(2 << 20))
    os.utime(folder / "bad.machine", (0, 0))
    listed, removed = emu("machines"), emu("machines", "--prune", "--most", f"{(booted.stat().st_size >> 20) + 1}M")
    good, bad = listed.out.decode().splitlines()
    assert re.fullmatch(rf" *[\d.]+ MiB  \S+ \S+  {real_kernel.name}, 2 CPUs, \d+ MiB, seed 0", good)
    assert bad.endswith("bad.machine: unusable") and re.fullmatch(r"emu: [\d.]+ MiB kept\n", listed.err)
    assert (removed.status, removed.out.decode().splitlines()) == (0, [bad])
    assert re.fullmatch(r"emu: removed 1, [\d.]+ MiB kept\n", removed.err)
    assert emu("machines", "--prune").out.decode().splitlines() == [good]
    assert emu("machines") == Result(0, b"", "emu: 0.0 MiB kept\n")


# What is refused


def test_without_any_kernel(emu: Emu, boot: Path, cache: Path, no_machines: Path) -> None:
    said = "there is no Linux kernel: give a file with --linux=FILE, or run 'emu linux fetch'"
    for command in (("run", "--linux", "true"), ("shell", "--linux")):
        assert refusal(emu(*command)) == said


@pytest.mark.parametrize(
    "option",
    [
        ("--sample", "branch-misses:100"), ("--repeat", "2"), ("--ramdisk", "x"), ("--share", "."), ("--userland", "busybox"),
        ("--arch", "sparc64"), ("--arch", "x86_64"), ("--image", "x"), ("--tracer-cost", "linux"), ("--patching", "breakpoint"),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together(linux: Linux, option: tuple[str, ...]) -> None:
    said = refusal(linux(*option, "true"))
    assert re.fullmatch(r"-\S+ does not go together with --linux|No such option.*", said)
    assert option[0] in said


@pytest.mark.parametrize("option", [("--rootfs", "/"), ("--initrd", "x"), ("--fresh",)])
@pytest.mark.parametrize("command", [("run", "true"), ("shell",)])
def test_options_that_need_a_linux(emu: Emu, command: tuple[str, ...], option: tuple[str, ...]) -> None:
    verb, *words = command
    assert refusal(emu(verb, *option, *words)) == f"{option[0]} needs --linux"


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--cpus", "0", "0 CPUs: .* has 1 to 16"),
        ("--cpus", "17", "17 CPUs: .* has 1 to 16"),
        ("--memory", "32M", r"33554432 bytes of memory: this kernel and initramfs need \d+ MiB, in whole pages"),
        ("--memory", "0", r"0 bytes of memory: .*"),
        ("--memory", "512001K", r"524289024 bytes of memory: .*, in whole pages"),
        ("--memory", "1024G", "1099511627776 bytes of memory: at most 3 GiB are possible"),
        ("--quantum", "0", r"a quantum of 0 cycles: 1 to \d+ are possible"),
        ("--frequency", "1kHz", ".* 1000000 to 100000000000 are possible"),
        ("--timing", "caches", "the timing model 'caches' does not exist for a Linux guest: static is the only one"),
        ("--rootfs", "/nonexistent", r"/nonexistent: it cannot be read \(No such file or directory\)"),
        ("--initrd", "/dev/null", "/dev/null: it is no file"),
        ("--append", "x" * 2048, "a kernel command line of 20.. bytes: at most 2047 are possible"),
    ],
)
def test_values_that_are_not_possible(emu: Emu, no_machines: Path, real_kernel: Path, option: str, value: str, why: str) -> None:
    said = refusal(emu("run", f"--linux={real_kernel}", option, value, "true"))
    assert re.fullmatch(why, said), said
    assert not list(no_machines.rglob("*"))


def test_trees_that_are_no_root(linux: Linux, tmp_path: Path) -> None:
    (tmp_path / "root/bin").mkdir(parents=True)
    assert refusal(linux("--rootfs", str(tmp_path / "root"), "true")) == f"{tmp_path}/root: there is no /bin/sh in it"
    text = tmp_path / "text"
    text.write_text("no archive")
    assert refusal(linux("--rootfs", str(text), "true")).startswith(f"{text}: it is neither a tar nor a newc cpio")
    why = "it is neither a newc cpio nor compressed by what Linux unpacks"
    assert refusal(linux("--initrd", str(text), "true")) == f"{text}: {why}"


def test_files_that_are_no_kernel(emu: Emu, tmp_path: Path, cache: Path, no_machines: Path, real_kernel: Path) -> None:
    path = tmp_path / "vmlinuz"
    assert refusal(emu("run", f"--linux={path}", "true")) == f"cannot read {path}: No such file or directory"
    for data in (b"", b"no kernel", bytes(1 << 20), bzimage(b"damaged"), real_kernel.read_bytes()[: 4 << 20]):
        path.write_bytes(data)
        assert refusal(emu("run", f"--linux={path}", "true")).startswith(f"{path}: ")
    assert refusal(emu("run", f"--linux={tmp_path}", "true")) in (
        f"cannot read {tmp_path}: Is a directory", f"{tmp_path}: it is no file"
    )  # fmt: skip


# How it ends


def test_a_limit(linux: Linux) -> None:
    status, out, err = linux("--limit", "5ms", "--", "echo x; sleep 1000")
    assert (status, out) == (124, b"x\n")
    assert re.fullmatch(r"emu: 5 ms of virtual time have passed\nCPU 0: .*\nCPU 1: .*\n", err)


def test_a_limit_of_the_hosts_time(linux: Linux) -> None:
    status, out, err = linux("--host-limit", "200ms", "--", "while :; do :; done")
    assert (status, out) == (124, b"") and err.startswith("emu: 0.2 s of host time have passed\nCPU 0: ")


def test_a_panic(linux: Linux) -> None:
    status, out, err = linux("--", "echo c > /proc/sysrq-trigger")
    assert (status, out) == (125, b"") and re.match(r"emu: guest panic on CPU [01]: sysrq triggered crash\n  ip ", err)


def test_a_kernel_without_an_init(linux: Linux) -> None:
    """Linux goes on to look for a root file system, and finds none."""
    status, out, err = linux("--append", "rdinit=/nothing", "--fresh", "true")
    assert (status, out) == (125, b"")
    assert re.match(r"emu: guest panic on CPU [01]: VFS: Unable to mount root fs on unknown-block\(0,0\)\n", err)
    assert "\nlast console lines:\n" in err


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_signals(kept_machines: Path, real_kernel: Path, number: signal.Signals, status: int) -> None:
    """The command writes first, so it is running."""
    command = emu_with_machines(kept_machines, "run", f"--linux={real_kernel}", "--", "echo go; while :; do :; done")
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == b"go\n"
        os.kill(process.pid, number)
        assert process.wait(60) == status
        assert process.stdout.read() == b"" and b"Traceback" not in process.stderr.read()


def test_control_c_at_a_terminal(kept_machines: Path, real_kernel: Path) -> None:
    command = emu_with_machines(kept_machines, "run", f"--linux={real_kernel}", "--", "echo go; while :; do :; done")
    seen = on_a_terminal(command, interrupt_at="go\r\n")
    assert seen.status == 130 and seen.text.endswith("go\n^C"), seen.text


def test_progress_is_shown_at_a_terminal(kept_machines: Path, real_kernel: Path) -> None:
    seen = on_a_terminal(emu_with_machines(kept_machines, "run", f"--linux={real_kernel}", "--", "echo one; exit 2"))
    assert seen.status == 2 and seen.text.endswith("one\n")


def test_the_reader_of_its_output_is_gone(kept_machines: Path, real_kernel: Path) -> None:
    command = emu_with_machines(kept_machines, "run", f"--linux={real_kernel}", "--", "echo go; usleep 1000; echo more; exit 5")
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.wait(60) in (5, 141)
        assert b"Traceback" not in process.stderr.read()
