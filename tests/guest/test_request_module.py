# SPDX-License-Identifier: GPL-2.0-only
"""Modules that the kernel requests itself: mount loads ext2 through modprobe, and users pin it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from emu.machine import Machine
from tests.lib.disks import make_ext2, needs_e2fsprogs

pytestmark = needs_e2fsprogs

UNKNOWN = "mount: /d: unknown filesystem type '{}'.\n"
MODPROBE = "/proc/sys/kernel/modprobe"
CYCLE = "mount -t ext2 /dev/ram0 /d && ls /d > /d/list && mkdir /d/x && rmdir /d/x && rm /d/list && umount /d && rmmod ext2"


@pytest.fixture(scope="module")
def machine(arch: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    image = tmp_path_factory.mktemp("disk") / "image"
    make_ext2(image, 1 << 20)
    with Machine(arch=arch, cpus=2, ramdisk=image) as made:
        assert made.run("mkdir /d /d1 /d2 /d3 /d4 /d5").status == 0
        yield made
        assert made.warnings == []


@pytest.fixture(autouse=True)
def unloaded(machine: Machine) -> Iterator[None]:
    """Each test starts without ext2, and with the default modprobe."""
    yield
    assert machine.run(f"echo /sbin/modprobe > {MODPROBE}; modprobe -r ext2; lsmod | wc -l").output == b"1\n"


def output(machine: Machine, command: str) -> str:
    """The output of a command, without the time stamps of kernel messages."""
    return re.sub(r"^\[ *[\d.]+\] ", "", machine.run(command).output.decode(), flags=re.MULTILINE)


def uses(machine: Machine) -> str:
    """The use count of ext2 in lsmod; "" if it is not loaded."""
    return output(machine, "lsmod | grep ext2 | tr -s ' ' | cut -d ' ' -f 3").strip()


@pytest.mark.parametrize("kind", ["-t ext2", ""], ids=["by type", "by trying"])
def test_a_mount_loads_the_module_and_keeps_it(machine: Machine, kind: str) -> None:
    assert "ext2" not in output(machine, "cat /proc/filesystems")
    assert output(machine, f"mount {kind} /dev/ram0 /d; ls /d; grep ext2 /proc/filesystems") == "lost+found\n\text2\n"
    assert uses(machine) == "1"
    assert output(machine, "rmmod ext2; modprobe -r ext2") == (
        "rmmod: ERROR: Module ext2 is in use\nmodprobe: FATAL: Module ext2 is in use.\n"
    )
    assert output(machine, "mount -t ext2 /dev/ram0 /d1; umount /d") == ""  # two mounts, one super block
    assert uses(machine) == "1"
    assert output(machine, "umount /d1") == ""
    assert uses(machine) == "0"
    assert output(machine, "rmmod ext2; cat /proc/filesystems /proc/kallsyms | grep -c ext2") == "0\n"


def test_an_alias_is_a_name_for_modprobe(machine: Machine) -> None:
    assert output(machine, "modinfo -F alias ext2; modprobe fs-ext2") == "fs-ext2\n"
    assert uses(machine) == "0"
    assert output(machine, "modprobe -r fs-ext2; modprobe fs-none; modprobe -q fs-none; echo $?") == (
        "modprobe: FATAL: Module fs-none not found in directory /lib/modules/6.1.0-emu\n1\n"
    )
    assert uses(machine) == ""


@pytest.mark.parametrize(("path", "said"), [
    ("", ""),
    ("/nope", ""),
    ("/bin/false", ""),
    ("/bin/true", "request_module fs-ext2 succeeded, but still no fs?\n"),
], ids=["none", "missing", "fails", "does nothing"])  # fmt: skip
def test_without_modprobe_there_is_no_such_type(machine: Machine, path: str, said: str) -> None:
    said += UNKNOWN.format("ext2")
    assert output(machine, f"echo {path} > {MODPROBE}; mount -t ext2 /dev/ram0 /d; echo $?") == f"{said}32\n"


def test_types_that_nobody_has(machine: Machine) -> None:
    """A type with a subtype loads the type; a module's name has at most 55 bytes."""
    for name in ("none", "ext2.sub", "x" * 60):
        assert output(machine, f"mount -t {name} /dev/ram0 /d") == UNKNOWN.format(name)
    assert uses(machine) == "0"


def test_how_modprobe_is_called(machine: Machine) -> None:
    machine.run("""
        printf '#!/bin/sh\nexec > /said; echo "$@"; echo $HOME $TERM $PATH; umask; pwd; nice; cat /proc/$PPID/comm\n' > /own
        chmod +x /own""")
    output(machine, f"echo /own > {MODPROBE}; mount -t some-thing /dev/ram0 /d")
    *lines, parent = output(machine, "cat /said").splitlines()
    assert lines == ["-q -- fs-some-thing", "/ linux /sbin:/usr/sbin:/bin:/usr/bin", "0022", "/", "0"]
    assert parent.startswith("kworker/u")


def test_mounts_at_once_wait_for_one_load(machine: Machine) -> None:
    mounts = "for n in 1 2 3 4 5; do mount -t ext2 /dev/ram0 /d$n & done; wait"
    assert output(machine, f"{mounts}; for n in 1 2 3 4 5; do ls /d$n; done") == "lost+found\n" * 5
    assert uses(machine) == "1"
    assert output(machine, "umount /d1 /d2 /d3 /d4 /d5") == ""


def test_a_disk_that_is_refused_lets_the_module_go(machine: Machine) -> None:
    superblock = machine.ramdisk.read(1024, 1024)
    machine.ramdisk.write(1024, bytes(1024))
    assert "wrong fs type" in output(machine, "mount -t ext2 /dev/ram0 /d")
    assert uses(machine) == "0"
    assert output(machine, "rmmod ext2; mount /dev/ram0 /d").count("\n") == 1  # probing for the type prints nothing itself
    machine.ramdisk.write(1024, superblock)
    assert uses(machine) == "0"


def test_a_signal_ends_the_wait_for_modprobe(machine: Machine) -> None:
    machine.run("printf '#!/bin/sh\nsleep 30\n' > /tmp/slow; chmod +x /tmp/slow")
    before = machine.board.cpus[0].cycles
    assert machine.run(f"echo /tmp/slow > {MODPROBE}; mount -t a /dev/ram0 /d & sleep 0.1; kill -9 $!; wait $!").status == 137
    assert machine.board.cpus[0].cycles - before < machine.board.frequency
    machine.advance(31 * machine.board.frequency)  # it ends, and frees the request that no task waits for


def test_so_many_run_at_once_and_no_more(machine: Machine) -> None:
    machine.run("printf '#!/bin/sh\nsleep 8\n' > /tmp/slow; chmod +x /tmp/slow")
    said = output(machine, f"""
        echo /tmp/slow > {MODPROBE}; for n in $(seq 50); do mount -t a$n /dev/ram0 /d 2> /dev/null & done; sleep 2
        mount -t last /dev/ram0 /d; wait""")  # fmt: skip
    assert said == (
        "request_module: kmod_concurrent_max (0) close to 0 (max_modprobes: 50), for module fs-last, throttling...\n"
        "request_module: modprobe fs-last cannot be processed, kmod busy with 50 threads for more than 5 seconds now\n"
        "mount: /d: unknown filesystem type 'last'.\n"
    )


def test_coming_and_going_at_the_same_time(machine: Machine) -> None:
    """A mount during the removal of the module loads it again, unless it is removed again before it can be used."""
    machine.run("(for n in 1 2 3 4 5 6 7 8; do rmmod ext2 2> /dev/null; done) &")
    said = output(machine, "for n in 1 2 3 4 5 6; do mount -t ext2 /dev/ram0 /d && umount /d && echo done; done; wait")
    assert set(said.splitlines(keepends=True)) - {UNKNOWN.format("ext2")} == {"done\n"}


def test_nothing_is_left_behind(machine: Machine) -> None:
    def counts() -> list[str]:
        machine.advance(330 * machine.board.frequency)  # idle workers have exited
        output(machine, "sync; echo 3 > /proc/sys/vm/drop_caches")
        machine.advance(machine.board.frequency)  # what has ended has been freed
        text = output(machine, "exec cat /proc/meminfo /proc/slabinfo")
        pages = {name: int(size) for name, size in re.findall(r"^(\w+): +(\d+) kB", text, re.MULTILINE)}
        used = pages["MemTotal"] - pages["MemFree"] - pages["Cached"] - pages["Slab"]
        return [f"{used} kB", *re.findall(r"^([\w-]+ +\d+) .* : slabdata", text, re.MULTILINE)]

    cycles = f"for n in 1 2 3; do {CYCLE}; done"
    for _ in range(3):  # memory allocated by the first use stays
        assert output(machine, cycles) == ""
        before = counts()
    assert not any("ext2" in line for line in before)
    assert output(machine, cycles) == ""
    assert counts() == before
