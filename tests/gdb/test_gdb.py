# SPDX-License-Identifier: GPL-2.0-only
"""gdb itself, driven by scripts, on a machine."""

from __future__ import annotations

import hashlib
import re

from emu.installation import image_directory
from emu.machine import Machine
from tests.lib import gdb_client
from tests.lib.booted_machine import booted_machine
from tests.lib.needs import needs

pytestmark = needs("gdb-multiarch")

COMMAND = "cat /proc/version"
READ = {"x86_64": 0, "sparc64": 3}  # the number of this system call


def gdb(machine: Machine, *commands: str, command: str = COMMAND) -> str:
    """What gdb prints, with the symbols of the image: gdb_client.gdb."""
    return gdb_client.gdb(machine, image_directory(machine.board.arch.name) / "vmlinux", *commands, command=command)


def test_a_breakpoint_a_backtrace_and_the_end(arch: str) -> None:
    with booted_machine(arch) as machine:
        said = gdb(machine, "info threads", "break vfs_read", "continue", "bt 3", "delete", "continue", "monitor when")
    assert re.search(r'Thread 1 "CPU 0" \(idle, asleep, arch_cpu_idle\+', said)
    assert re.search(r'Thread \d "CPU \d" hit Breakpoint 1, 0x\w+ in vfs_read \(\)', said)
    assert re.search(r"#0 .* in vfs_read \(\)\n#1 .* in ksys_read \(\)\n#2 .* in ", said)
    assert "The command has ended with status 0." in said


def test_steps(arch: str) -> None:
    """Two instructions forward are two other addresses in the function, whatever the other CPU does."""
    with booted_machine(arch) as machine:
        said = gdb(machine, "break vfs_read", "continue", "stepi", "stepi", "p/x $pc > (long)&vfs_read", "info breakpoints")
    assert "$1 = 0x1" in said
    assert "breakpoint already hit 1 time" in said


def test_backward(arch: str) -> None:
    with booted_machine(arch) as machine:
        said = gdb(
            machine, "break vfs_read", "continue", "p/x $sp", "stepi", "stepi", "reverse-stepi", "reverse-stepi", "p/x $sp",
            "continue", "continue", "reverse-continue", "reverse-continue", "p/x $sp", "reverse-continue",
        )  # fmt: skip
    values = re.findall(r"\$\d = (0x\w+)", said)
    assert len(values) == 3 and len(set(values)) == 1
    assert "The history begins here." in said


def test_a_watchpoint_forward_and_backward() -> None:
    """Who has counted the tasks?"""
    with booted_machine("x86_64") as machine:
        said = gdb(
            machine, "watch *(long*)&total_forks", "continue", "continue", "bt 1", "reverse-continue", "bt 1",
            command="true; true",
        )  # fmt: skip
    assert said.count("Hardware watchpoint 1") >= 3


def test_a_changed_register_begins_another_run() -> None:
    with booted_machine("x86_64") as machine:
        said = gdb(
            machine, "break sys_getpid", "continue", "break vfs_write", "continue", "reverse-continue", "set var $rbx = 0x1234",
            "p/x $rbx", "stepi", command="getpid",
        )  # fmt: skip
    assert "$1 = 0x1234" in said
    assert "a new branch begins" in said


def test_functions_of_the_guest_are_called(arch: str) -> None:
    """A call is a change: what comes after it can be gone through again, backward and forward."""
    with booted_machine(arch) as machine:
        said = gdb(
            machine, "break vfs_read", "continue", "delete", "p (long)sched_clock() > 1000", "p (long)sched_clock() > 1000",
            "break ksys_write", "continue", "p/x $sp", "reverse-stepi", "stepi", "p/x $sp", "delete", "continue",
        )  # fmt: skip
    values = re.findall(r"\$\d = (\w+)", said)
    assert values[:2] == ["1", "1"]
    assert len(values) == 4 and values[2] == values[3]
    assert "The command has ended with status 0." in said and "BUG" not in said


def test_twenty_breakpoints_change_nothing() -> None:
    """The machine is the same, to the last byte, after stops at twenty functions, steps, and a way back."""
    functions = (
        "vfs_read", "vfs_write", "sys_read", "sys_write", "sys_openat", "do_syscall", "schedule", "kmem_cache_alloc", "fput",
        "n_tty_write", "hvc_write", "do_exit", "sys_close", "handle_mm_fault", "ksys_read", "ksys_write", "do_sys_open",
        "__schedule", "kfree", "sys_exit",
    )  # fmt: skip
    ends = []
    for commands in (
        (),
        (*(f"break {name}" for name in functions), *["continue"] * 30, "stepi", "stepi", "reverse-stepi", "delete"),
    ):
        with booted_machine("x86_64") as machine:
            said = gdb(machine, "set breakpoint pending off", *commands, "continue")
            clocks = [(cpu.cycles, cpu.instructions) for cpu in machine.board.cpus]
            ends.append((hashlib.sha256(machine.board.ram).hexdigest(), clocks, machine.kernel.commands.status))
    assert said.count(" hit Breakpoint ") >= 20
    assert ends[0] == ends[1]


def test_tasks_are_threads_on_request(arch: str) -> None:
    """They show where each of them waits. Their registers cannot be set."""
    with booted_machine(arch) as machine:
        known = machine.kernel.tasks
        said = gdb(
            machine, "break vfs_read", "continue", "monitor threads tasks", "info threads", "thread apply all -q bt 3",
            r"echo ==\n", "thread 3", "p $sp = 1", "monitor threads cpus", "info threads", command="sleep 0.01 | cat",
        )  # fmt: skip
        waiting = {f"{known.comm(task)}-{known.pid(task)}" for task in known if known.pid(task)}
    before, after = said.split("==")
    threads = set(re.findall(r'^\s+\d+\s+Thread \d+ "(\S+)" \(waits\)', before, re.MULTILINE))
    assert {"init-1", "kthreadd-2"} < threads and len(threads & waiting) >= len(threads) - 3  # those of the command have ended
    assert len(re.findall(r"^#0 .* in (?:__schedule|context_switch) \(", before, re.MULTILINE)) == len(threads)
    assert len(re.findall(r"^#1 .* in schedule \(", before, re.MULTILINE)) >= len(threads) - 2
    assert "E.no CPU runs this task: its registers cannot be set" in after
    assert len(re.findall(r"^[* ]\s+\d+\s+Thread", after, re.MULTILINE)) == 2


def test_traps_are_caught(arch: str) -> None:
    """Forward and backward, and without any change of the run."""
    ends = []
    catching = (
        "monitor catch syscall", "continue", "monitor when", "continue", "monitor when", "reverse-continue", "monitor when",
        "monitor catch nonsense", "monitor uncatch", f"monitor catch syscall:{READ.get(arch, 63)}", "continue", "monitor uncatch",
    )  # fmt: skip
    for commands in ((), catching):
        with booted_machine(arch) as machine:
            said = gdb(machine, *commands, "continue")
            clocks = [(cpu.cycles, cpu.instructions) for cpu in machine.board.cpus]
            ends.append((hashlib.sha256(machine.board.ram).hexdigest(), clocks, machine.kernel.commands.status))
    assert len(re.findall(r"CPU \d takes a trap, syscall \(\w+\) \d+; it goes on at 0x4\w+\.", said)) == 4
    assert f") {READ.get(arch, 63)}; it goes on" in said
    first, second, again = re.findall(r"^(\S+ s, turn \d+, CPU \d)", said, re.MULTILINE)
    assert first == again != second
    assert "'nonsense' is no trap's name" in said and "The command has ended with status 0." in said
    assert ends[0] == ends[1]


def test_input_is_typed_and_cpus_are_held() -> None:
    """What the command needs is on a CPU that is held, or waits for it: the machine stands until the CPU is released."""
    with booted_machine("x86_64") as machine:
        said = gdb(
            machine, r"monitor run -i read word; cat /proc/version; test $word = two", "continue", r"monitor type two\n",
            "tbreak vfs_read", "continue", "set var $other = 3 - $_thread", "monitor hold others", "stepi", "continue",
            r'eval "thread %d", $other', "stepi", "monitor when", "monitor release", "continue", "monitor when",
            command="true",
        )  # fmt: skip
    assert "Every CPU sleeps, and nothing will wake one." in said and "4 bytes are typed" in said
    (hit,) = re.findall(r'Thread (\d) "CPU \d" hit Temporary breakpoint 1', said)
    other = 2 - int(hit)
    assert f"\nheld: CPU {other}\n" in said and f"CPU {other} is held, so it makes no step: monitor release." in said
    stands = said.index(f"Every other CPU sleeps, and CPU {other} is held: monitor release.")
    assert stands < said.index("all CPUs run") < said.index("The command has ended with status 0.")
    assert re.findall(r"branch 0(.*)$", said, re.MULTILINE) == [f", held: CPU {other}", ""]
