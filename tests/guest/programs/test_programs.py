# SPDX-License-Identifier: GPL-2.0-only
"""All programs, init, and properties of the usual ones that a table of command lines cannot test."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from tests.guest.programs.conftest import Ended, Guest
from tests.guest.programs.table import assert_same

OWN_MOUNTS = ["/usr/bin/unshare", "--mount", "--propagation=private"]  # mounts end with the process
PF_X, PF_W, PF_R = 1, 2, 4

LS = [
    [],
    ["-1"],
    ["-a"],
    ["-d", "."],
    ["-l"],
    ["-la"],
    ["dir", "a.c"],
    ["a.c", "nofile", "dir", ".hidden"],
    ["-l", "link", "/dev/null", "/dev/zero"],
    ["-l", "broken"],
    ["link"],
    ["-d", "link", "dir"],
    ["--", "-dash"],
    ["nofile"],
    ["/nodir/file"],
]


def test_programs_are_small_static_and_have_no_page_to_write_and_execute(guest_root: Path) -> None:
    for path in [guest_root / "init", *(guest_root / "bin").iterdir()]:
        assert path.stat().st_size < 128 * 1024, path.name  # with its symbols
        with path.open("rb") as file:
            elf = ELFFile(file)
            loads = [s.header for s in elf.iter_segments("PT_LOAD")]
            assert sum(h.p_filesz for h in loads) < 96 * 1024, path.name
            assert [h.p_flags for h in loads] == [PF_R | PF_X, PF_R | PF_W], path.name
            assert [h.p_vaddr % 4096 for h in loads] == [0, 0], path.name
            assert loads[0].p_vaddr == 0x400000
            assert not list(elf.iter_segments("PT_INTERP"))
            assert elf.get_section_by_name(".symtab") is not None  # for probes by symbol
            assert not elf.has_dwarf_info(), path.name


def test_ls_does_what_gnu_ls_does(guest: Guest) -> None:
    (guest.cwd / "link").symlink_to("dir")
    (guest.cwd / "broken").symlink_to("nowhere")
    (guest.cwd / "-dash").touch()
    (guest.cwd / "mode").touch()
    (guest.cwd / "mode").chmod(0o6751)
    os.utime(guest.cwd / "mode", (0, 951_782_400))
    gnu = shutil.which("ls")
    assert_same(LS, lambda words: guest.run("ls", *words), lambda words: guest.run("ls", *words, program=gnu))


def test_ls_names_an_option_it_does_not_know(guest: Guest) -> None:
    ended = guest.run("ls", "-z")
    assert (ended.status, ended.errors) == (2, "ls: invalid option -- 'z'\n")


def test_ls_of_a_big_folder(guest: Guest) -> None:
    names = sorted(f"file{number}" for number in range(1000))
    for name in names:
        (guest.cwd / "dir" / name).touch()
    assert guest.run("ls", "dir").output.split() == ["f", *names]


def test_echo(guest: Guest) -> None:
    for arguments, output in ([], "\n"), (["a", "b  c"], "a b  c\n"), (["-n", "a"], "a"), (["a", "-n"], "a -n\n"), (["-n"], ""):
        assert guest.run("echo", *arguments).output == output


def test_cat(guest: Guest) -> None:
    assert guest.run("cat", stdin="in").output == "in"
    assert guest.run("cat", "a.c", "-", "b.c", stdin="in").output == "a.c\ninb.c\n"
    ended = guest.run("cat", "nofile", "a.c", "dir")
    assert (ended.status, ended.output) == (1, "a.c\n")
    assert ended.errors == "cat: nofile: No such file or directory\ncat: dir: Is a directory\n"


def test_cat_does_not_copy_a_file_to_its_own_end(guest: Guest) -> None:
    (guest.cwd / "grows").write_text("a\n")
    with open(guest.cwd / "grows", "ab") as output:
        done = subprocess.run([guest.bin / "cat", guest.cwd / "grows"], stdout=output, stderr=subprocess.PIPE, timeout=20)
    assert done.returncode == 1
    assert done.stderr.endswith(b"grows: input file is output file\n")
    assert (guest.cwd / "grows").read_text() == "a\n"


def test_cat_copies_every_byte(guest: Guest) -> None:
    data = bytes(range(256)) * 1000
    (guest.cwd / "bytes").write_bytes(data)
    copied = subprocess.run([guest.bin / "cat", guest.cwd / "bytes"], capture_output=True, check=True)
    assert copied.stdout == data


def test_output_that_cannot_be_written_is_a_failure(guest: Guest) -> None:
    ended = guest.sh(f"{guest.bin}/echo hi > /dev/full; echo $? >&2")
    assert ended.errors == "echo: write error: No space left on device\n1\n"


def test_output_that_could_not_be_written_before_is_one_too(guest: Guest) -> None:
    ended = guest.sh(f"{guest.bin}/printf %8192s x > /dev/full; echo $? >&2")
    assert ended.errors == "printf: write error: No space left on device\n1\n"


def test_true_and_false(guest: Guest) -> None:
    assert [guest.run(name).status for name in ("true", "false")] == [0, 1]


def test_time_passes(guest: Guest) -> None:
    for arguments in (["sleep", "0.04", ".01s"], ["sleep", "0.001m"], ["usleep", "50000"]):
        start = time.monotonic()
        assert guest.run(*arguments).status == 0
        assert time.monotonic() - start >= 0.05, arguments


BAD_ARGUMENTS = [
    (["sleep"], "sleep: missing operand\n"),
    (["sleep", "x", "0", "1y"], "sleep: invalid time interval 'x'\nsleep: invalid time interval '1y'\n"),
    (["sleep", "."], "sleep: invalid time interval '.'\n"),
    (["usleep", "-1"], "usleep: invalid number '-1'\n"),
    (["usleep", "9" * 30], f"usleep: invalid number '{'9' * 30}'\n"),
    (["kill"], "kill: usage: kill [-SIGNAL] PID...\n"),
    (["kill", "x"], "kill: x: not a process number\n"),
    (["kill", "-NOSUCH", "1"], "kill: NOSUCH: invalid signal\n"),
    (["kill", "-0", "999999999"], "kill: 999999999: No such process\n"),
]


def test_bad_arguments(guest: Guest) -> None:
    assert_same(BAD_ARGUMENTS, lambda line: guest.run(*line[0]), lambda line: Ended(1, "", line[1]))


def test_kill(guest: Guest) -> None:
    for arguments, number in {
        (): signal.SIGTERM,
        ("-9",): signal.SIGKILL,
        ("-s", "USR1"): signal.SIGUSR1,
        ("-SIGHUP",): 1,
    }.items():
        with subprocess.Popen([guest.bin / "sleep", "30"]) as victim:
            assert guest.run("kill", *arguments, str(victim.pid)).status == 0
            assert victim.wait() == -number


def test_pidof(guest: Guest) -> None:
    with subprocess.Popen([guest.bin / "usleep", "30000000"]) as found:
        assert str(found.pid) in guest.run("pidof", "usleep").output.split()
        found.kill()
    assert guest.run("pidof", "no such").status == 1


@pytest.fixture
def root(guest: Guest, tmp_path: Path) -> Path:
    """A root folder for init, with regular files as console and command device."""
    if os.geteuid() != 0:
        pytest.skip("needs root, for chroot")
    if subprocess.run([*OWN_MOUNTS, "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs a mount namespace: init mounts what there is")
    root = tmp_path / "root"
    shutil.copytree(guest.bin, root / "bin")
    shutil.copy(guest.root / "init", root / "init")
    (root / "dev").mkdir()
    return root


def run_init(root: Path, *words: str, console: str = "", command: bytes = b"") -> tuple[int, str, bytes]:
    """init's status, what it appended to the console, and what it wrote to the command device."""
    (root / "dev/console").write_text(console)
    (root / "dev/command").write_bytes(command)
    environment = {"HOME": "/", "PATH": "/bin"}
    command_line = [*OWN_MOUNTS, f"--root={root}", "--wd=/", "/init", *words]
    done = subprocess.run(command_line, env=environment, timeout=60, check=False)
    written = (root / "dev/command").read_bytes()[len(command) :]
    return done.returncode, (root / "dev/console").read_text()[len(console) :], written


def test_init_runs_a_command_and_reports_its_wait_status(root: Path) -> None:
    assert run_init(root, command=b"sh\0-c\0echo $PATH; exit 3\0") == (0, "/bin\n", (3 << 8).to_bytes(4, "little"))


def test_init_reports_a_signal(root: Path) -> None:
    _, _, written = run_init(root, command=b"sh\0-c\0kill -9 $$\0")
    assert written == signal.SIGKILL.to_bytes(4, "little")


def test_init_serves_a_console(root: Path) -> None:
    """The script prints nothing: its output would overwrite the part of the file that is yet to be read."""
    status, _, written = run_init(root, "mode=shell", console="echo hi > /out\nnosuch 2> /errors\nexit 5\n")
    assert (status, written) == (5, (5 << 8).to_bytes(4, "little"))
    assert (root / "out").read_text() == "hi\n"
    assert (root / "errors").read_text() == "sh: 2: nosuch: not found\n"


def test_init_needs_a_console(root: Path) -> None:
    assert stat.S_ISDIR((root / "dev").stat().st_mode)
    assert subprocess.run([*OWN_MOUNTS, f"--root={root}", "--wd=/", "/init"], check=False).returncode == 1
