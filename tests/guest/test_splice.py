# SPDX-License-Identifier: GPL-2.0-only
"""splice, tee, vmsplice and F_SETPIPE_SZ: the same results as on a Linux host. Files of the tracing directory are spliced."""

from __future__ import annotations

import platform
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.kernel.files.share import Share
from emu.machine import Machine
from tests.lib.commands import run, shell
from tests.lib.golden import read_golden
from tests.lib.host_compiler import compile_static

HERE = Path(__file__).parent
RAW = "per_cpu/cpu0/trace_pipe_raw"


class Guest:
    """A machine whose /p is a folder of the host that contains the program."""

    def __init__(self, machine: Machine, folder: Path) -> None:
        self.machine = machine
        self.folder = folder

    def splice(self, file: str, arguments: str, meanwhile: str = "") -> list[str]:
        """The program's output for a file of the tracing directory, while CPU 0 does something else."""
        script = f"taskset 1 sh -c '{meanwhile or ':'}' & taskset 2 /p/splice {file} /p/out {arguments}; wait"
        return shell(self.machine, f"rm -f /p/out; {script}").split()

    def mark(self, count: int) -> None:
        """Empties the buffer, and records `count` markers on CPU 0."""
        shell(self.machine, f"echo > trace; taskset 1 sh -c '{marking(count)}'")

    def markers(self) -> list[int]:
        """The numbers of the markers that came out of the pipe."""
        return [int(number) for number in re.findall(rb"marker (\d+)", (self.folder / "out").read_bytes())]


def marking(count: int) -> str:
    """A shell command that records `count` markers: 15 fill a page."""
    return f'n=0; while [ $n -lt {count} ]; do echo "marker $n {"x" * 240}" > trace_marker; n=$((n + 1)); done'


@pytest.fixture(scope="module")
def guest(arch: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    folder = tmp_path_factory.mktemp("splice")
    compile_static(arch, (HERE / "splice.c").read_text(), folder / "splice", "-w")
    with Machine(arch=arch, cpus=2, shares=[Share(folder, "/p", writable=True)]) as machine:
        machine.tracefs.write("buffer_size_kb", "38")  # ten pages
        yield Guest(machine, folder)
        assert machine.warnings == []


def test_the_guest_answers_as_linux_does(guest: Guest) -> None:
    assert run(guest.machine, "cd /tmp; /p/splice") == read_golden("splice.txt")


def test_this_host_answers_so_too(tmp_path: Path) -> None:
    if platform.machine() != "x86_64" or platform.system() != "Linux":
        pytest.skip("needs an x86-64 Linux host")
    compile_static("x86_64", (HERE / "splice.c").read_text(), tmp_path / "splice", "-w")
    done = subprocess.run([tmp_path / "splice"], cwd=tmp_path, stdout=subprocess.PIPE, timeout=20, check=True)
    assert done.stdout.decode() == read_golden("splice.txt")


def test_raw_pages_are_spliced_whole(guest: Guest) -> None:
    guest.mark(50)  # three pages and a part
    assert guest.splice(RAW, "4095 2 8191 2 65536 2 65536 2") == ["EINVAL", "4096", "8192", "EAGAIN"]
    spliced = guest.markers()
    rest = re.findall(r"marker (\d+)", shell(guest.machine, "timeout 0.01 cat trace_pipe"))
    assert spliced + [int(number) for number in rest] == list(range(50))


def test_whoever_waits_for_raw_pages_gets_half_a_buffer(guest: Guest) -> None:
    guest.mark(0)
    said = guest.splice(RAW, "65536 0 65536 0", f"usleep 5000; {marking(90)}; usleep 5000; echo 0 > tracing_on")
    guest.machine.tracefs.write("tracing_on", "1")
    assert said == [str(4 * 4096), "0"]
    assert guest.markers() == list(range(len(guest.markers())))


def test_texts_are_spliced(guest: Guest) -> None:
    guest.mark(30)
    assert guest.splice("current_tracer", "100 0") == ["EINVAL"]
    sizes = guest.splice("trace", " ".join(["65536 0"] * 100))
    assert guest.markers() == list(range(30))
    assert sizes[-1] == "0"
    sizes = guest.splice("trace_pipe", "65536 2 65536 2 65536 2 65536 2")
    assert guest.markers() == list(range(30))
    assert sizes[-1] == "EAGAIN"
    assert shell(guest.machine, "/p/splice /p/splice trace_marker 10 0") == "10\nEINVAL\n"
