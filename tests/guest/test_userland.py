# SPDX-License-Identifier: GPL-2.0-only
"""Machine(userland=...): a static busybox of the host, in the guest."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.machine import Machine
from tests.lib.arches import OTHERS
from tests.lib.busybox import TOOL, busybox
from tests.lib.commands import run
from tests.lib.trace_lines import trace_lines

HERE = Path(__file__).parent
SCRIPT = "busybox.sh"
COMMAND = "ls /bin | sed s/[aeiou]/z/g"


def booted(arch: str, **options: object) -> Machine:
    return Machine(arch=arch, userland=f"busybox={busybox(arch)}", **options)  # type: ignore[arg-type]  # options of one's choice


@pytest.fixture(scope="module")
def machine(arch: str) -> Iterator[Machine]:
    with booted(arch, shares=[f"{HERE}:/tests"]) as machine:
        yield machine
        assert machine.warnings == []


def test_the_tools_and_the_shell_are_busyboxs(machine: Machine) -> None:
    assert run(machine, "echo $PATH") == "/usr/bin:/bin\n"
    for name in ("sh", "ls", "/bin/sh"):
        assert run(machine, f"readlink -f $(which {name})") == "/usr/lib/busybox/busybox\n"
    assert run(machine, "busybox").startswith("BusyBox v")
    assert run(machine, "busybox --list") == run(machine, "ls /usr/bin")
    assert run(machine, "type fg | sed 's/.* is/is/'; id; ls -ld /bin | cut -c 1-32") == (
        "is a shell builtin\nuid=0(root) gid=0(root)\ndrwxr-xr-x    2 root     root   \n"
    )


def test_programs_that_are_no_applets_stay_where_they_were(machine: Machine) -> None:
    assert run(machine, "which busy; timeout 9 busy 2 1") == "/bin/busy\nbusy: 2 workers, 2 rounds, 0 errors\n"


def test_scripts_for_bash_are_ashs(machine: Machine) -> None:
    assert run(machine, r"printf '#!/bin/bash\necho $1 $#; false' > s; chmod +x s; ./s 'a b' c || echo $?") == "a b 2\n1\n"


def test_the_guest_sees_no_more_of_the_host_than_busybox(machine: Machine, arch: str) -> None:
    assert run(machine, "ls -A /usr/lib/busybox") == "busybox\n"
    assert run(machine, "stat -L -c %s /usr/bin/ls") == f"{busybox(arch).stat().st_size}\n"
    for line in ("ls /usr/lib/busybox/lock", "rm /usr/lib/busybox/busybox", "echo > /usr/lib/busybox/new"):
        assert machine.run(line).status != 0
    assert busybox(arch).exists()


def host_output(folder: Path) -> bytes:
    """The output on this host of the busybox for x86-64 when it executes the script."""
    program = busybox("x86_64")
    if os.uname().machine != "x86_64":
        pytest.skip("needs an x86-64 host")
    subprocess.run([program, "--install", "-s", folder], check=True)
    done = subprocess.run(
        ["sh", HERE / SCRIPT], executable=folder / "sh", env={"PATH": str(folder), "HOME": "/"},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_a_script_prints_what_it_prints_on_the_host(machine: Machine, tmp_path: Path) -> None:
    done = machine.run(["sh", f"/tests/{SCRIPT}"])
    assert done.status == 0
    assert done.output == host_output(tmp_path)
    assert done.output.endswith(b"\nremoved\n")


def traced(arch: str) -> tuple[bytes, str]:
    """The output of the command, and a trace of its functions."""
    with booted(arch) as machine:
        machine.tracefs.write("current_tracer", "function_graph")
        machine.tracefs.write("trace_options", "funcgraph-proc")
        done = machine.run(COMMAND, trace=True)
        assert done.status == 0
        return done.output, machine.tracefs.read("trace")


def test_a_pipeline_is_traced_and_the_same_each_time(arch: str) -> None:
    output, trace = traced(arch)
    assert (output, trace) == traced(arch)
    names = output.decode().split()
    assert "bzsy" in names and not re.search("[aeiou]", output.decode())
    lines = [line for line in trace_lines(trace) if not isinstance(line, str)]
    assert len(lines) > 5000
    called = {(line.task.rpartition("-")[0], line.function) for line in lines if line.function}
    assert {("sh", "sys_pipe2"), ("sh", "sys_wait4"), ("sed", "sys_execve"), ("sed", "pipe_read")} <= called
    assert {("ls", "iterate_dir"), ("ls", "pipe_write")} <= called  # a child of ash that executes no other program
    assert not any(task in ("mount", "mkdir") for task, _ in called)  # boot-time tasks


def test_one_that_is_no_userland_is_refused(tmp_path: Path) -> None:
    """The file claims to be busybox, but cannot be executed."""
    fake = tmp_path / "busybox"
    whole = busybox("x86_64").read_bytes()
    fake.write_bytes(whole[:24] + bytes(8) + whole[32:])  # its entry point is address 0
    fake.chmod(stat.S_IRWXU)
    with pytest.raises(ValueError, match=rf"^{re.escape(str(fake))} cannot be the userland: .+"):
        Machine(userland=f"busybox={fake}")


def test_the_tool_says_which_package_it_needs(tmp_path: Path) -> None:
    for name in ("sh", "uname", "mkdir", "flock", "rm", "tr"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))

    def said(arch: str) -> str:
        environment = {"PATH": str(tmp_path), "EMU_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run([TOOL, arch], env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        return done.stderr

    for arch in OTHERS:
        assert said(arch) == f"busybox: {arch}-linux-gnu-gcc is needed: install the package gcc-{arch}-linux-gnu\n"
    assert "the package busybox-static" in said(os.uname().machine)
    assert said("vax") == "busybox: there is no architecture vax: it is x86_64, sparc64 or riscv64\n"
    assert not list(tmp_path.rglob("new"))
