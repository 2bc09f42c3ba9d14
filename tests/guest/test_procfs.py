# SPDX-License-Identifier: GPL-2.0-only
"""/proc, /sys, the kernel's log and the programs that read them."""

import re

from emu import Machine
from tests.lib.commands import run


def test_the_trees_can_be_listed_and_read(machine: Machine) -> None:
    for line in run(machine, "ls -l /proc /proc/self /proc/self/fd /proc/sys/kernel /sys /sys/kernel").splitlines():
        assert re.match(r"[-dl]([-r][-w][-x]){3} +\d+ root root +\d+ Jan  1 00:00 |total 0$|/.*:$|$", line), line
    files = "cmdline cpuinfo filesystems interrupts meminfo mounts stat uptime version self/stat self/status self/maps"
    for name in files.split():
        assert run(machine, f"cat /proc/{name}")


def test_a_process_in_files(machine: Machine) -> None:
    status = dict(line.split(":\t", 1) for line in run(machine, "cat /proc/self/status").splitlines())
    assert status["Name"] == "cat"
    assert status["State"] == "R (running)"
    assert status["Threads"] == "1"
    assert status["Cpus_allowed_list"] == "0-1"
    fields = run(machine, "cat /proc/self/stat").split()
    assert (fields[1], fields[2], len(fields)) == ("(cat)", "R", 52)
    assert run(machine, "cat /proc/self/cmdline") == "cat\0/proc/self/cmdline\0"
    assert run(machine, "cat /proc/1/comm") == "init\n"
    assert run(machine, "cd /bin; ls -l /proc/self/cwd /proc/self/exe /proc/self/root | sed 's/.*-> //'") == "/bin\n/bin/ls\n/\n"


def test_maps(machine: Machine) -> None:
    lines = run(machine, "cat /proc/self/maps").splitlines()
    for line in lines:
        assert re.match(r"[0-9a-f]{8,}-[0-9a-f]{8,} [-r][-w][-x][ps] [0-9a-f]{8} [0-9a-f]{2}:[0-9a-f]{2} \d+ ", line)
    assert lines[0].endswith(" /bin/cat")
    assert lines[0].index("/bin/cat") == 73
    assert any(line.endswith(" [stack]") for line in lines)


def test_descriptors(machine: Machine) -> None:
    assert run(machine, "cat < /proc/self/fd/0 0< /proc/version").startswith("Linux version 6.1")
    assert re.search(r"1 -> pipe:\[\d+\]", run(machine, "ls -l /proc/self/fd | cat"))
    assert run(machine, "echo through > /tmp/x; cat /proc/self/fd/5 5< /tmp/x") == "through\n"


def test_descriptors_by_their_names_in_dev(machine: Machine) -> None:
    assert run(machine, "echo through | cat /dev/stdin | { cat /dev/fd/0; echo out > /dev/stdout; }") == "through\nout\n"
    assert run(machine, "{ echo err > /dev/stderr; } 2> /tmp/x; cat /tmp/x; echo console > /dev/stderr") == "err\nconsole\n"


def test_what_descriptors_do(machine: Machine, arch: str) -> None:
    run(machine, "printf 1234567 > /tmp/x")
    info = "pos:\t3\nflags:\t0{flags:o}\nmnt_id:\t1\nino:\t"
    large = 0x40000 if arch == "sparc64" else 0o100000
    seen = run(machine, "{ dd bs=1 count=3 of=/dev/null 2> /dev/null; cat /proc/self/fdinfo/0; } < /tmp/x")
    assert seen.startswith(info.format(flags=large))
    assert run(machine, "ls /proc/self/fdinfo | cat").split() == ["0", "1", "2", "3"]
    assert "No such file" in run(machine, "cat /proc/self/fdinfo/77", 1)


def test_mountinfo(machine: Machine) -> None:
    run(machine, "mkdir '/tmp/a b' /tmp/m; mount -t ramfs -o ro,noatime none '/tmp/a b'; mount --bind /proc/sys /tmp/m")
    lines = [line.split() for line in run(machine, "cat /proc/self/mountinfo").splitlines()]
    assert lines[0][:2] == ["1", "1"]
    ids = {line[0]: line for line in lines}
    for line in lines:
        assert line[1] in ids
        assert re.fullmatch(r"\d+:\d+", line[2])
        assert line[6] == "-"
    assert lines[-2][3:6] + lines[-2][7:] == ["/", r"/tmp/a\040b", "ro,noatime", "ramfs", "none", "ro"]
    assert lines[-1][3:6] + lines[-1][7:] == ["/sys", "/tmp/m", "rw,relatime", "proc", "proc", "rw"]
    run(machine, "umount '/tmp/a b' /tmp/m; rmdir '/tmp/a b' /tmp/m")


def test_limits_are_all_there(machine: Machine) -> None:
    lines = run(machine, "cat /proc/self/limits").splitlines()
    assert len(lines) == 17
    assert lines[4] == "Max stack size            8388608              unlimited            bytes     "
    assert lines[-1] == "Max realtime timeout      unlimited            unlimited            us        "


def test_what_ended_is_gone(machine: Machine) -> None:
    assert "No such file" in run(machine, "cat /proc/99999/stat", 1)
    assert "No such file" in run(machine, "true & wait; cat /proc/$!/stat", 1)


def test_sysctls(machine: Machine) -> None:
    assert run(machine, "sysctl kernel.ostype; sysctl -n kernel.osrelease") == "kernel.ostype = Linux\n6.1.0-emu\n"
    assert run(machine, "sysctl -w kernel.hostname=host; cat /proc/sys/kernel/hostname") == "kernel.hostname = host\nhost\n"
    assert run(machine, "echo 20000 > /proc/sys/kernel/pid_max; sysctl kernel.pid_max") == "kernel.pid_max = 20000\n"
    listing = run(machine, "sysctl -a")
    assert "kernel.version = #1 SMP PREEMPT\n" in listing
    assert listing.splitlines() == sorted(listing.splitlines())
    for junk in ("x", "1x", "-1", "99999999999", "300"):
        assert "Invalid argument" in run(machine, f"sysctl -w kernel.pid_max={junk}", 255)
    assert (
        "Permission denied" in machine.run("echo x > /proc/sys/kernel/ostype").output.decode()
        or "permission denied" in machine.run("sysctl -w kernel.ostype=x").output.decode()
    )
    assert run(machine, "sysctl kernel.nope", 255) == "sysctl: cannot stat /proc/sys/kernel/nope: No such file or directory\n"


def test_kallsyms(machine: Machine) -> None:
    symbols = [line.split() for line in run(machine, "cat /proc/kallsyms").splitlines()]
    addresses = [int(address, 16) for address, *_ in symbols]
    assert addresses == sorted(addresses)
    table = {name: (int(address, 16), kind) for address, kind, name, *_ in symbols}
    for name in ("vfs_read", "schedule", "start_kernel"):
        assert table[name] == (machine.kernel.image.symbol(name), "T")
    assert table["jiffies"][1] in "BDbd"


def counts(machine: Machine, file: str) -> dict[str, list[int]]:
    """A table with counts for each CPU, by name."""
    header, *lines = run(machine, f"cat /proc/{file}").splitlines()
    assert header.split() == ["CPU0", "CPU1"]
    return {line.split()[0]: [int(count) for count in line.split()[1:3]] for line in lines}


def test_interrupts_are_counted(machine: Machine) -> None:
    before = counts(machine, "interrupts")
    machine.inject_nmi(1)
    run(machine, "spin 20")
    after = counts(machine, "interrupts")
    assert {"LOC:", "RES:", "CAL:"} <= set(after)
    assert sum(after["LOC:"]) >= sum(before["LOC:"]) + 15
    assert after["NMI:"] == [before["NMI:"][0], before["NMI:"][1] + 1]


def test_softirqs_are_counted(machine: Machine) -> None:
    before = counts(machine, "softirqs")
    assert " ".join(before) == "HI: TIMER: NET_TX: NET_RX: BLOCK: IRQ_POLL: TASKLET: SCHED: HRTIMER: RCU:"
    run(machine, "spin 20; dd if=/dev/ram0 of=/dev/null bs=4k count=4")
    after = counts(machine, "softirqs")
    assert sum(after["TIMER:"]) >= sum(before["TIMER:"]) + 15
    assert sum(after["BLOCK:"]) > sum(before["BLOCK:"])
    assert after["NET_TX:"] == [0, 0]


def test_uptime_and_stat(machine: Machine) -> None:
    first = float(run(machine, "cat /proc/uptime").split()[0])
    run(machine, "sleep 0.2")
    assert float(run(machine, "cat /proc/uptime").split()[0]) >= first + 0.19
    stat = run(machine, "cat /proc/stat").splitlines()
    assert [line.split()[0] for line in stat] == [
        "cpu",
        "cpu0",
        "cpu1",
        "intr",
        "ctxt",
        "btime",
        "processes",
        "procs_running",
        "procs_blocked",
    ]


def test_the_log(machine: Machine) -> None:
    assert re.match(r"\[    0\.\d{6}\] Linux version 6\.1", run(machine, "dmesg"))
    run(machine, "echo '<4>to the log' > /dev/kmsg")
    assert run(machine, "dmesg").splitlines()[-1].endswith("] to the log")
    assert re.fullmatch(r"user  :warn  : \[ +\d+\.\d{6}\] to the log", run(machine, "dmesg -x").splitlines()[-1])
    assert run(machine, "dmesg -t -l warn").splitlines()[-1] == "to the log"
    assert run(machine, "dmesg -C; dmesg") == ""
    assert re.match(r"5,0,\d+,-;Linux version", run(machine, "sed 1q < /dev/kmsg"))


def test_ps(machine: Machine) -> None:
    lines = run(machine, "ps -e").splitlines()
    assert lines[0] == "    PID TTY          TIME CMD"
    assert lines[1] == "      1 ?        00:00:00 init"
    assert lines[-1].endswith(" ps")
    assert run(machine, "ps -p 1 -o pid,comm=NAME") == "    PID NAME\n      1 init\n"
    assert run(machine, "ps -ef").splitlines()[0] == "UID          PID    PPID  C STIME TTY          TIME CMD"
    assert "[kthreadd]" in run(machine, "ps aux")


def test_sysfs_and_debugfs(machine: Machine) -> None:
    assert run(machine, "cat /sys/devices/system/cpu/online /sys/devices/system/cpu/present") == "0-1\n0-1\n"
    assert set(run(machine, "ls /sys/kernel").split()) >= {"debug", "tracing"}
    # All mounts of sysfs show the same tree.
    assert run(machine, "mount -t sysfs none /tmp; ls /tmp; umount /tmp") == run(machine, "ls /sys")
    assert "Permission denied" in machine.run("echo x > /sys/devices/system/cpu/online").output.decode()


def test_poll_and_select(machine: Machine) -> None:
    assert run(machine, "pollpipe").splitlines() == [
        "empty: 1 0 4",
        "filled: 2 1 4",
        "select: 1 1",
        "select, empty: 0 0 late",
        "bad: 1 20",
        "woken: 1 1",
        "hung up: 1 10",
    ]


def test_the_load_is_the_average_of_those_that_want_to_run(arch: str) -> None:
    with Machine(arch=arch, cpus=2, frequency=8_000_000) as machine:
        assert run(machine, "cat /proc/loadavg").startswith("0.00 0.00 0.00 1/")
        run(machine, "sleep 5.1; for i in 1 2 3; do spin 20000 & done; wait")  # three for 20 s on two CPUs
        said = run(machine, "cat /proc/loadavg; set -- /proc/[0-9]*/task/*; echo $#")
        one, five, fifteen, tasks, last, alive = said.split()
        assert 0.7 < float(one) < 1.0  # 3 * (1 - exp(-20 / 60)) is 0.85
        assert 0.15 < float(five) < 0.23 and 0.05 < float(fifteen) < 0.09
        running, threads = map(int, tasks.split("/"))
        assert (running, threads) == (1, int(alive) + 1)  # cat itself
        assert int(last) > threads
        minute = run(machine, "sleep 60; cat /proc/loadavg").split()[0]
        assert abs(float(minute) - float(one) / 2.72) < 0.05  # the decay while all CPUs slept


def test_where_a_task_waits(machine: Machine) -> None:
    task = "sleep 1 & usleep 10000; cd /proc/$!"
    assert run(machine, f"{task}; cat wchan") == "hrtimer_nanosleep"
    functions = re.findall(r"^\[<0>\] (\w+)\+0x[0-9a-f]+/0x[0-9a-f]+$", run(machine, f"{task}; cat stack"), re.MULTILINE)
    assert functions[:2] == ["hrtimer_nanosleep", "sys_nanosleep"]
    assert run(machine, "cat /proc/self/wchan; cat /proc/self/stack") == "0"  # it is running
    assert run(machine, "cat /proc/1/wchan; echo; cat /proc/2/wchan") == "do_wait\nkthreadd"
    # Calls with traced returns have their return addresses elsewhere.
    machine.tracefs.write("current_tracer", "function_graph")
    traced = re.findall(r" (\w+)\+", run(machine, f"{task}; cat stack"))
    machine.tracefs.write("current_tracer", "nop")
    assert traced == functions


def test_who_would_be_killed_for_memory(machine: Machine) -> None:
    said = run(
        machine, "cat /proc/1/oom_score /proc/self/oom_score_adj; echo 300 > /proc/self/oom_score_adj; cat /proc/self/oom_score"
    )
    unkillable, adjustment, score = map(int, said.split())
    assert (unkillable, adjustment) == (0, 0)
    assert 855 <= score < 880
    assert "Invalid argument" in run(machine, "echo 1001 > /proc/self/oom_score_adj", 1)


def test_softirqs(machine: Machine) -> None:
    head, *lines = run(machine, "cat /proc/softirqs").splitlines()
    assert head.split() == ["CPU0", "CPU1"]
    names = [line.split(":")[0].strip() for line in lines]
    assert names == ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"]
    assert all(int(count) for count in lines[1].split()[1:])


def test_free_says_what_meminfo_says(machine: Machine) -> None:
    head, memory, swap = run(machine, "free").splitlines()
    total, used, free, _, _, available = map(int, memory.split()[1:])
    assert head == "               total        used        free      shared  buff/cache   available"
    assert swap == "Swap:              0           0           0"
    assert total == used + available and free <= available
    assert f"MemTotal:{total:15} kB\n" in run(machine, "cat /proc/meminfo")
    assert run(machine, "free -h").splitlines()[1].split()[1] == f"{total // 1024}Mi"


def test_a_pipe_can_be_opened_by_the_name_of_its_descriptor(machine: Machine) -> None:
    assert run(machine, "echo in | cat /proc/self/fd/0") == "in\n"
    assert run(machine, "(echo out > /proc/self/fd/1) | cat") == "out\n"
    assert run(machine, "(sleep 1; echo late) | cat /proc/self/fd/0") == "late\n"
    assert machine.warnings == []
