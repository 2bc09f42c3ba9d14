# SPDX-License-Identifier: GPL-2.0-only
"""Events of system calls, beside those that the guest itself records of the same run."""

from __future__ import annotations

import errno
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from emu.linux.machine import LinuxMachine
from tests.lib.host_compiler import compile_static

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

TRACING = "/sys/kernel/tracing"
JOBS = "cat /proc/version | head -c 5; (sleep 0.005 & ls /bin | tail -1; kill $!; wait); nosuch"
UNUSUAL = r"""
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static void handler(int signal) {}
int main(void)
{
    struct sock_filter denies[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 7),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(denies) / sizeof(*denies), denies};
    long result;
    signal(SIGUSR1, handler);
    kill(getpid(), SIGUSR1);                                      /* rt_sigreturn */
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20));       /* a 32-bit program's getpid */
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    getppid();                                                    /* denied */
    syscall(-1);
    syscall(1000);
    syscall(SYS_getuid);
    return vfork() == 0 ? (_exit(0), 0) : 0;
}
"""

Shown = tuple[str, str, str]  # pid, flags, text


def by_cpu(text: str) -> Mapping[int, Sequence[Shown]]:
    """The events of each CPU. Inside, an interrupt may ask for another task between two events of one call: N is left out."""
    found: defaultdict[int, list[Shown]] = defaultdict(list)
    for pid, cpu, flags, shown in re.findall(r"^ *.{16}-(\d+) +\[(\d+)\] (\S+) +[\d.]+: (.*)$", text, re.MULTILINE):
        found[int(cpu)].append((pid, flags.replace("N", "."), shown))
    return found


def both(machine: LinuxMachine, events: Sequence[str], command: str) -> tuple[str, Mapping[int, Sequence[Shown]]]:
    """What a command wrote, and what both have recorded of it, which must be the same."""
    fs = machine.tracefs
    for event in events:
        fs.append("set_event", event)
    enable = "".join(f"echo {event} >> set_event; " for event in events)
    done = machine.run(f"cd {TRACING} && echo 0 > tracing_on && echo 20000 > buffer_size_kb && {enable} true")
    assert done.status == 0, done.errors
    fs.write("trace", "")
    fs.write("tracing_on", "1")
    done = machine.run(f"cd {TRACING}; echo 1 > tracing_on; {command}; echo 0 > tracing_on")
    fs.write("tracing_on", "0")
    fs.write("set_event", "")
    inside = by_cpu(machine.run(f"cat {TRACING}/trace").output.decode())
    outside = by_cpu(fs.read("trace"))
    assert sum(map(len, inside.values())) > 50
    for cpu, events_there in inside.items():
        ours = outside[cpu]
        starts = (n for n in range(len(ours) - len(events_there) + 1) if ours[n] == events_there[0])
        assert any(ours[n : n + len(events_there)] == events_there for n in starts), cpu
    return done.output.decode(), inside


ORDERS = [
    ("raw_syscalls", "syscalls"),
    pytest.param(("syscalls", "raw_syscalls"), marks=pytest.mark.long("one order shows most")),
]


@pytest.mark.parametrize("events", ORDERS)
def test_they_are_the_guests(traced: LinuxMachine, events: Sequence[str]) -> None:
    """Fields, flags, and their order on each CPU; also which of two events of one call is the first."""
    both(traced, events, JOBS)


def test_unusual_calls_are_the_guests(traced: LinuxMachine, tmp_path: Path) -> None:
    """Returns from signals, 32-bit calls, denied ones, numbers that no call has, and a child that returns without a call."""
    compile_static("x86_64", UNUSUAL, tmp_path / "unusual")
    traced.run("cat > /tmp/unusual; chmod +x /tmp/unusual", stdin=(tmp_path / "unusual").read_bytes())
    _, found = both(traced, ("raw_syscalls", "syscalls"), "/tmp/unusual")
    texts = [text for events in found.values() for _, _, text in events]
    assert "sys_exit: NR -1 = 0" in texts  # of rt_sigreturn
    assert "sys_enter: NR -1" in "".join(texts) and "sys_exit: NR 1000 = -38" in texts
    assert "sys_exit: NR 110 = -7" in texts and not any(text.startswith("sys_enter: NR 110 ") for text in texts)
    after = [text.split(":")[0] for text in texts[texts.index(next(t for t in texts if t.startswith("sys_enter: NR 20 "))) :]]
    assert after[:2] == ["sys_enter", "sys_exit"]  # no syscalls:sys_enter_writev


def test_filters_triggers_and_histograms(traced: LinuxMachine) -> None:
    fs = traced.tracefs
    fs.write("events/syscalls/sys_enter_openat/filter", 'filename.ustring ~ "/proc/v*"')
    fs.write("set_event", "syscalls:sys_enter_openat")
    fs.append("events/raw_syscalls/sys_enter/trigger", "hist:keys=id.syscall,common_pid.execname:sort=hitcount")
    fs.append("events/syscalls/sys_exit_openat/trigger", "traceoff:1 if ret < 0")
    fs.write("tracing_on", "1")
    traced.run("cat /proc/version /proc/uptime; cat /proc/version >&2")
    assert [text.split("(")[0] for events in by_cpu(fs.read("trace")).values() for *_, text in events] == ["sys_openat"] * 2
    hist = fs.read("events/raw_syscalls/sys_enter/hist")
    assert re.search(r"id: sys_openat +\[257\], common_pid: cat +\[ *\d+\] \} hitcount: +\d", hist)
    assert fs.read("tracing_on") == "1\n"
    traced.run("cat /nosuch /proc/version")
    assert fs.read("tracing_on") == "0\n"
    fs.write("events/raw_syscalls/sys_enter/trigger", "!hist:keys=id.syscall,common_pid.execname:sort=hitcount")
    fs.write("events/syscalls/sys_exit_openat/trigger", "!traceoff")
    fs.write("events/syscalls/sys_enter_openat/filter", "0")


# Strings of arguments

SIZE = "syscall_user_buf_size"


def test_strings(traced: LinuxMachine) -> None:
    fs = traced.tracefs
    before = fs.read("events/syscalls/sys_enter_openat/format")
    fs.write(SIZE, "20")
    try:
        shown = fs.read("events/syscalls/sys_enter_openat/format")
        assert shown.replace(" \\\"%s\\\"", "").replace(" __get_str(__filename_val),", "") == before.replace(
            "\n\nprint", "\n\tfield:__data_loc char[] __filename_val;\toffset:48;\tsize:4;\tsigned:0;\n\nprint"
        )
        for event in ("openat", "mkdir", "rename", "write"):
            fs.append("set_event", f"syscalls:sys_enter_{event}")
        fs.write("events/syscalls/sys_enter_openat/filter", '__filename_val ~ "*pro*"')
        fs.write("tracing_on", "1")
        traced.run(
            "cat /proc/version /proc/../proc/../proc/version; mkdir /tmp/a-folder;"
            " mv /tmp/a-folder \"$(printf '/tmp/\\001\\377 \"')\"; cat /tmp/nopro"
        )
        fs.write("tracing_on", "0")
        found = [re.sub(r": [0-9a-f]+", "", text) for events in by_cpu(fs.read("trace")).values() for *_, text in events]
        assert sorted(text for text in found if not text.startswith("sys_write")) == [
            'sys_mkdir(pathname "/tmp/a-folder", mode)',
            'sys_openat(dfd, filename "/proc/../proc/../pro...", flags, mode)',
            'sys_openat(dfd, filename "/proc/version", flags, mode)',
            'sys_openat(dfd, filename "/tmp/nopro", flags, mode)',
            'sys_rename(oldname "/tmp/a-folder", newname "/tmp/.. "")',
        ]
        with pytest.raises(OSError, match="in use") as refused:
            fs.write(SIZE, "0")
        assert refused.value.errno == errno.EBUSY
        fs.write(SIZE, "165")
    finally:
        fs.write("set_event", "")
        fs.write(SIZE, "0")
    assert fs.read("events/syscalls/sys_enter_openat/format") == before
    assert fs.read("events/syscalls/sys_enter_openat/filter") == "none\n"


@pytest.mark.parametrize("size", ["166", "-1", "x", ""])
def test_sizes_that_are_refused(traced: LinuxMachine, size: str) -> None:
    with pytest.raises(OSError) as refused:
        traced.tracefs.write(SIZE, size)
    assert refused.value.errno == errno.EINVAL and traced.tracefs.read(SIZE) == "0\n"
