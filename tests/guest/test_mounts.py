# SPDX-License-Identifier: GPL-2.0-only
"""Mounts: what is visible where, what is refused and with which error, and that nothing is left behind."""


import pytest

from emu import Machine
from tests.lib.commands import run


def test_init_mounts_what_there_is(machine: Machine) -> None:
    lines = run(machine, "cat /proc/mounts").splitlines()
    assert lines[0] == "rootfs / rootfs rw 0 0"
    assert "proc /proc proc rw,relatime 0 0" in lines
    assert "sysfs /sys sysfs rw,relatime 0 0" in lines
    assert "debugfs /sys/kernel/debug debugfs rw,relatime 0 0" in lines
    assert "proc on /proc type proc (rw,relatime)" in run(machine, "mount").splitlines()
    assert run(machine, "mount -t proc") == "proc on /proc type proc (rw,relatime)\n"


def test_a_mount_hides_what_was_there_and_umount_shows_it_again(machine: Machine) -> None:
    assert run(machine, "echo below > /tmp/f; mount -t ramfs none /tmp; ls /tmp; echo above > /tmp/f; cat /tmp/f; "
                        "umount /tmp; cat /tmp/f") == "above\nbelow\n"


def test_dot_dot_leads_out_of_a_mount_and_pwd_across_it(machine: Machine) -> None:
    assert run(machine, "mount -t ramfs none /tmp; cd /tmp; echo a > f; ls ..; cd ..; umount /tmp") == run(machine, "ls /")
    assert run(machine, "cd /sys/kernel/debug; ls -l /proc/self/cwd | sed 's/.*-> //'") == "/sys/kernel/debug\n"


def test_a_busy_mount_stays(machine: Machine) -> None:
    output = run(machine, "mount -t ramfs none /tmp; cd /tmp; umount /tmp; echo $?; cd /; umount /tmp; echo $?")
    assert output == "umount: /tmp: target is busy.\n32\n0\n"
    # The same for a mount with another mount or an open file in it.
    output = run(machine, "mount -t ramfs a /tmp; ls /tmp > /tmp/f; umount /tmp < /tmp/f; echo $?; umount /tmp; echo $?")
    assert output == "umount: /tmp: target is busy.\n32\n0\n"


def test_what_was_mounted_by_walking_there_does_not_keep_what_it_is_in(machine: Machine) -> None:
    mount = "mkdir /tmp/d; mount -t debugfs nodev /tmp/d; ls /tmp/d/tracing > /dev/null; grep -c /tmp/d/tracing /proc/mounts; "
    output = run(machine, mount + "(cd /tmp/d/tracing; umount /tmp/d; echo $?); umount /tmp/d; echo $?; rmdir /tmp/d")
    assert output == "1\numount: /tmp/d: target is busy.\n32\n0\n"
    assert "/tmp/d" not in run(machine, "cat /proc/mounts")


def test_a_lazy_umount_leaves_it_to_who_uses_it(machine: Machine) -> None:
    output = run(machine, "mount -t ramfs a /tmp; cd /tmp; echo x > f; umount -l /tmp; cat f; cat /tmp/f; ls .. | sed 1q")
    assert output.startswith("x\n")
    assert run(machine, "mount -t ramfs") == ""


@pytest.mark.parametrize(("command", "message"), [
    ("mount -t nosuch none /tmp", "mount: /tmp: unknown filesystem type 'nosuch'."),
    ("mount -t ramfs none /nowhere", "mount: /nowhere: mount point does not exist."),
    ("mount -t ramfs none /bin/ls", "mount: /bin/ls: mount point is not a directory."),
    ("umount /bin", "umount: /bin: not mounted."),
    ("umount /nowhere", "umount: /nowhere: no mount point specified."),
    ("rmdir /proc", "rmdir: failed to remove '/proc': Device or resource busy"),
    ("mv /proc /p", "Device or resource busy"),
    ("echo x > /proc/nothing", "cannot create /proc/nothing: Directory nonexistent"),
])
def test_refused(machine: Machine, command: str, message: str) -> None:
    done = machine.run(command)
    assert done.status != 0
    assert message in done.output.decode()


def test_read_only(machine: Machine) -> None:
    output = run(machine, "mount -t ramfs -o mode=700 none /tmp; echo x > /tmp/f; mount -o remount,ro /tmp; "
                          "echo y > /tmp/f; cat /tmp/f; mount -t ramfs; mount -o remount,rw /tmp; echo z > /tmp/f; "
                          "cat /tmp/f; umount /tmp")
    lines = output.splitlines()
    assert lines[0].endswith("cannot create /tmp/f: Read-only file system")
    assert lines[1:] == ["x", "none on /tmp type ramfs (ro,relatime,mode=700)", "z"]
    # Not while a file is open for writing.
    output = run(machine, "mount -t ramfs none /tmp; { mount -o remount,ro /tmp; echo $? >&2; } > /tmp/f; umount /tmp")
    assert output.splitlines() == ["mount: /tmp: mount point is busy.", "32"]


def test_bind_and_move(machine: Machine) -> None:
    output = run(machine, "mount --bind /bin /tmp; ls /tmp/sh; mount -t ramfs r /dev; mount --move /dev /tmp; ls /tmp; "
                          "ls /dev/null; umount /tmp; ls /tmp/sh; umount /tmp; ls /tmp")
    assert output.splitlines()[:3] == ["/tmp/sh", "/dev/null", "/tmp/sh"]


def test_noexec_and_nodev(machine: Machine) -> None:
    output = run(machine, "mount --bind /bin /tmp; mount -o remount,bind,noexec /tmp; /tmp/true; echo $?; umount /tmp; "
                          "mount --bind /dev /tmp; mount -o remount,bind,nodev /tmp; cat < /tmp/null; umount /tmp")
    assert "126" in output.splitlines()[1]
    assert output.splitlines()[2].endswith("Permission denied")


def count(machine: Machine, name: str) -> int:
    """A number of /proc/meminfo, in kB."""
    for line in machine.run("cat /proc/meminfo").output.decode().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    raise AssertionError(name)


def test_nothing_is_left_behind(machine: Machine) -> None:
    once = "mount -t ramfs none /tmp; for name in a b c d e f g h; do echo $name > /tmp/$name; done; umount /tmp"
    for _ in range(2):
        run(machine, once)
    free, cached = count(machine, "MemFree"), count(machine, "Cached")
    for _ in range(12):
        run(machine, once)
    assert count(machine, "Cached") == cached
    # Slabs and per-CPU lists may hold a little more or less.
    assert abs(count(machine, "MemFree") - free) < 160


def test_a_tree_is_copied_once_even_into_itself(machine: Machine) -> None:
    before = machine.run("cat /proc/mounts").output
    done = machine.run("mkdir /x; mount --rbind / /x; wc -l < /proc/mounts; ls /x/proc/1/stat; umount -l /x", limit=10**10)
    lines = len(before.splitlines())
    assert done.output.decode() == f"{2 * lines}\n/x/proc/1/stat\n"
    assert machine.run("cat /proc/mounts").output == before


def test_there_are_so_many_mounts_and_no_more(machine: Machine) -> None:
    before = machine.run("mkdir -p /x; cat /proc/mounts").output
    most = 3 * len(before.splitlines()) - 1
    done = machine.run(f"""
        max=$(cat /proc/sys/fs/mount-max); echo {most} > /proc/sys/fs/mount-max
        mount --rbind / /x; echo $?; wc -l < /proc/mounts; mount --rbind / /x; wc -l < /proc/mounts
        umount -l /x; echo $max > /proc/sys/fs/mount-max""", limit=10**10)  # fmt: skip
    lines = 2 * len(before.splitlines())
    assert done.output.decode().splitlines() == [
        "0", str(lines), "mount: /x: mount(2) system call failed: No space left on device.", str(lines)
    ]  # fmt: skip
    assert machine.run("cat /proc/mounts").output == before
