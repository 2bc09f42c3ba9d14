# SPDX-License-Identifier: GPL-2.0-only
"""gdb itself, driven by commands, on an unmodified Linux without debug information."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.linux.kernel_btf import kernel_btf
from emu.linux.machine import LinuxMachine
from emu.linux.memory import LinuxMemory
from emu.linux.structures import Structures
from emu.linux.symbols import Symbols
from tests.lib.gdb_client import gdb
from tests.lib.linux_kernel import boot_once, insert
from tests.lib.made_module import CARELESS, made_module
from tests.lib.needs import needs

pytestmark = [needs("gdb-multiarch"), pytest.mark.static_timing("an unmodified Linux has no other timing model")]

FUNCTIONS = (
    "vfs_read", "vfs_write", "ksys_read", "do_sys_openat2", "__schedule", "try_to_wake_up", "kmem_cache_alloc", "fput",
    "do_exit", "handle_mm_fault", "kfree", "copy_process", "exit_mmap", "hrtimer_interrupt", "do_fault", "pipe_read",
    "pipe_write", "filp_close", "wake_up_new_task", "do_init_module",
)  # fmt: skip


@pytest.fixture
def debugged(real_kernel: Path, machines_folder: Path) -> Iterator[LinuxMachine]:
    """A machine of the test's own."""
    with boot_once(real_kernel, machines_folder) as machine:
        yield machine


@pytest.fixture(scope="session")
def symbols(real_kernel: Path, machines_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """gdb's symbol file."""
    path = tmp_path_factory.mktemp("symbols") / "vmlinux"
    with boot_once(real_kernel, machines_folder) as machine:
        machine.write_symbols(path)
    return path


def frames(said: str) -> list[str]:
    """The functions of the first backtrace."""
    found = re.findall(r"^#(\d+) +(?:0x\w+ in )?([\w.?]+) \(", said, re.MULTILINE)
    end = next((n for n, (number, _) in enumerate(found) if int(number) != n), len(found))
    return [function for _, function in found[:end]]


@needs("gcc")
def test_from_an_oops_back_to_where_the_pointer_was_stored(debugged: LinuxMachine, symbols: Path, tmp_path: Path) -> None:
    """Through the exception's frame, and with the symbols of a module that is loaded while gdb debugs."""
    module = made_module(tmp_path, "careless", CARELESS, kernel_btf(debugged._kernel))
    debugged.run("cat > /tmp/careless.ko", stdin=module.read_bytes())
    said = gdb(
        debugged, symbols, "break page_fault_oops", "continue", "backtrace", "frame function use", "print/x $rdi == &kept",
        "watch *(long *)&kept", "reverse-continue", "x/i $pc", "print *(long *)&kept != 0", "info sharedlibrary", "stepi",
        "print *(long *)&kept", command="insmod /tmp/careless.ko",
    )  # fmt: skip
    assert frames(said)[:6] == [
        "page_fault_oops", "exc_page_fault", "asm_exc_page_fault", "use", "init_module", "do_one_initcall"
    ]  # fmt: skip
    assert frames(said)[-1] == "entry_SYSCALL_64_after_hwframe"
    assert "Hardware watchpoint 2: *(long *)&kept" in said
    assert re.search(r"=> 0x\w+ <forget>:\s+movq\s+\$0x0,\(%rdi\)", said)
    assert re.findall(r"\$\d = (\w+)", said) == ["0x1", "1", "0"]
    assert re.search(r"^0xffffffffc0\w+ .* /.*/careless.ko$", said, re.MULTILINE)


def test_backtraces_on_one_cpu_through_interrupts_and_to_programs(debugged: LinuxMachine, symbols: Path) -> None:
    said = gdb(
        debugged, symbols, "break vfs_read thread 2", "continue", "stepi 30", "backtrace", "delete", "tbreak hrtimer_interrupt",
        "continue", "backtrace", "tbreak handle_mm_fault", "continue", "backtrace", command="ls -l /bin /proc",
    )  # fmt: skip
    _, in_the_midst, interrupted, fault = re.split(r"^#0", said, flags=re.MULTILINE)
    assert 'Thread 2 "CPU 1" hit Breakpoint 1' in said
    assert frames("#0" + in_the_midst)[1:] == ["ksys_read", "do_syscall_64", "entry_SYSCALL_64_after_hwframe"]
    assert frames("#0" + interrupted)[:4] == [
        "hrtimer_interrupt", "__sysvec_apic_timer_interrupt", "sysvec_apic_timer_interrupt", "asm_sysvec_apic_timer_interrupt"
    ]  # fmt: skip
    assert len(frames("#0" + interrupted)) > 4
    assert "Backtrace stopped" not in said
    assert frames("#0" + fault)[-2:] == ["asm_exc_page_fault", "user_space"]


def test_backtraces_at_random_instants(debugged: LinuxMachine, symbols: Path) -> None:
    """They lead to where a thread, a system call or a CPU began, on both CPUs."""
    random_, begin = random.Random(11), debugged.board.nanoseconds(debugged.board.now)
    looks = [
        (f"monitor goto {random_.randrange(begin, begin + 15_000_000)}ns", "maintenance flush register-cache", "thread 1",
         r"echo @\n", "backtrace", "echo @", "thread 2", r"echo @\n", "backtrace", "echo @")
        for _ in range(30)
    ]  # fmt: skip
    command = "ls -lR /proc/1 | wc; ls /sys | sort | wc; (sleep 0.003; echo a) & cat /proc/vmstat | head -n 3; wait"
    said = gdb(debugged, symbols, "continue", *(word for words in looks for word in words), command=command)
    assert "Backtrace stopped" not in said
    ends = [frames(piece)[-1] for piece in said.split("@\n")[1:] if frames(piece)]
    begins = ("secondary_startup_64", "entry_SYSCALL_64", "syscall_return_via", "ret_from_fork", "user_space")
    known = [one for one in ends if one.startswith(begins)]
    assert len(ends) == 60
    assert len(known) > 40
    others = [found for piece in said.split("@\n")[1:] if (found := frames(piece)) and found[-1] not in known]
    assert [found for found in others if found[0] != "??"] == []  # in a program


def test_debug_information(debugged: LinuxMachine, tmp_path: Path) -> None:
    """Lines, types and arguments, also in an interrupt's handler, and in what it has interrupted."""
    if (debug := debugged.debug_file) is None:
        pytest.skip("needs the kernel's debug information: emu linux fetch --debug")
    first = tmp_path / "unwinding"
    debugged.write_symbols(first, besides_debug=True)
    said = gdb(
        debugged, first, "break ksys_read", "continue", "print buf", "ptype struct list_head", "delete",
        "tbreak hrtimer_interrupt", "continue", "backtrace", command="ls -l /bin", debug=debug,
    )  # fmt: skip
    assert re.search(r"hit Breakpoint 1, ksys_read \(fd=\d+, buf=0x\w+.*\) at fs/read_write.c:\d+", said)
    assert "struct list_head *next;" in said
    assert re.search(r"^#0  hrtimer_interrupt \(dev=0x\w+\) at kernel/time/hrtimer.c", said, re.MULTILINE)
    found = frames(said)
    assert "asm_sysvec_apic_timer_interrupt" in found[:-1]
    assert found[-1].startswith(("entry_SYSCALL_64", "secondary_startup_64", "ret_from_fork", "user_space"))


def test_the_callers_of_functions_that_the_guest_traces(debugged: LinuxMachine, symbols: Path) -> None:
    """Linux's own function_graph, and return probes, make functions return to a trampoline."""
    done = debugged.run(
        "cd /sys/kernel/tracing; echo 'r:p ksys_read' > kprobe_events && echo 1 > events/kprobes/enable;"
        " echo vfs_read > set_graph_function; echo function_graph > current_tracer"
    )
    assert done.errors == b""
    said = gdb(debugged, symbols, "break pipe_read", "continue", "backtrace", command="echo a | cat")
    assert frames(said) == [
        "pipe_read", "vfs_read", "return_to_handler", "ksys_read", "arch_rethook_trampoline", "do_syscall_64",
        "entry_SYSCALL_64_after_hwframe",
    ]  # fmt: skip


def test_who_has_set_a_tasks_state(debugged: LinuxMachine, symbols: Path, real_symbols: Symbols) -> None:
    """Of the first process, which sleeps until the command has ended."""
    memory = LinuxMemory(debugged.board.ram, real_symbols)
    known = Structures(kernel_btf(debugged._kernel), real_symbols)
    first = memory.word((real_symbols.address("init_task") or 0) + known.task.tasks.offset) - known.task.tasks.offset
    place = first + known.task.state.offset
    said = gdb(
        debugged, symbols, "break do_exit", "continue", f"watch *(int *){place:#x}", "delete 1", "reverse-continue",
        "backtrace 4", f"print *(int *){place:#x}", "continue", command="true",
    )  # fmt: skip
    assert said.count("Hardware watchpoint 2") >= 2
    old, new = re.findall(r"(?:Old|New) value = (\d+)", said)[:2]
    assert old != new
    assert f"$1 = {new}" in said
    setters = r"in (try_to_wake_up|ttwu_do_\w+|do_sys_poll|prepare_to_wait\w*|do_wait|poll_schedule_timeout\S*) \("
    assert re.search(setters, said)


def test_twenty_breakpoints_change_nothing(
    real_kernel: Path, machines_folder: Path, symbols: Path, tmp_path: Path
) -> None:
    ends = []
    for commands in ((), (*(f"break {name}" for name in FUNCTIONS), *["continue"] * 30, "stepi", "reverse-stepi", "delete")):
        with boot_once(real_kernel, machines_folder) as machine:
            insert(machine, real_kernel, "dummy")
            said = gdb(machine, symbols, *commands, "continue", command="ls -l /bin | wc; rmmod dummy; insmod /tmp/dummy.ko")
            clocks = [(cpu.cycles, cpu.instructions, dict(cpu.registers())) for cpu in machine.board.cpus]
            ends.append((hashlib.sha256(machine.board.ram).hexdigest(), clocks))
    assert said.count(" hit Breakpoint ") >= 20
    assert ends[0] == ends[1]


def test_traps_stop_and_tasks_that_wait_are_threads(debugged: LinuxMachine, symbols: Path) -> None:
    said = gdb(
        debugged, symbols, "monitor catch page_fault", "continue", "monitor uncatch", "monitor threads tasks", "info threads",
        "thread apply 5 -q backtrace", "monitor threads cpus", "info threads", command="ls /bin",
    )  # fmt: skip
    assert re.search(r"CPU \d takes a trap, page_fault \(0xe\); it goes on at 0x\w+\.", said)
    assert len(re.findall(r'^\s+\d+\s+Thread \d+ "\S+-\d+" \(waits\)\s+0x\w+ in __schedule \(\)', said, re.MULTILINE)) > 40
    stack = frames(said)
    assert stack[:2] == ["__schedule", "schedule"] and stack[-1].startswith("ret_from_fork")


def test_system_calls_are_caught_by_name(debugged: LinuxMachine, symbols: Path) -> None:
    """Forward and backward, and a module's symbols are still there."""
    said = gdb(
        debugged, symbols, "catch syscall getpid getppid", "continue", "continue", "monitor when", "continue", "reverse-continue",
        "monitor when", "reverse-continue", "delete", "continue", command="sh -c 'echo $PPID'",
    )  # fmt: skip
    caught = re.findall(r"hit Catchpoint 1 \((call to syscall|returned from syscall) (\w+)\), 0x\w+ in (\w+|\?\?)", said)
    entry = "entry_SYSCALL_64"
    assert caught == [
        ("call to syscall", "getpid", entry), ("returned from syscall", "getpid", "??"), ("call to syscall", "getppid", entry),
        ("returned from syscall", "getpid", "??"), ("call to syscall", "getpid", entry),
    ]  # fmt: skip
    instants = re.findall(r"^\S+ s, turn \d+, CPU \d", said, re.MULTILINE)
    assert len(instants) == 2 and instants[0] == instants[1]
