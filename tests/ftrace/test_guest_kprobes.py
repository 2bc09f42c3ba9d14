# SPDX-License-Identifier: GPL-2.0-only
"""The kprobes and kretprobes of the guest's modules: the host installs them, the guest calls their handlers."""

from __future__ import annotations

import re

import capstone
import pytest

from emu.cpu.arch import load as cpu_arch
from emu.ftrace.probes.places import ProbedFunction
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

PARAMETERS = "/sys/module/sample_kprobes/parameters"
LIST = "/sys/kernel/debug/kprobes/list"
WORK = 14  # more than one round of sample_kprobes_work: all its cases


@pytest.fixture
def machine(arch: str):
    with booted_machine(arch, cpus=2) as made:
        yield made


def sh(machine: Machine, script: str) -> str:
    return machine.run(f"cd {PARAMETERS}; {script}").output.decode()


def function(machine: Machine, name: str) -> ProbedFunction:
    places = machine.ftrace.kprobes.places
    (address,) = [one.address for module in machine.kernel.modules for one in module.functions if one.name == name]
    found = places.function_at(address)
    assert found is not None
    return found


def test_instructions_do_what_they_did(machine: Machine, arch: str) -> None:
    """One of each kind, with a pre_handler and a post_handler."""
    machine.run("insmod /lib/modules/sample_kprobes.ko")
    work = function(machine, "sample_kprobes_work")
    once = sh(machine, f"echo {WORK} > call; cat call").strip()
    decoder = capstone.Cs(*cpu_arch(arch).capstone_mode)
    kinds: dict[str, int] = {}
    for at, _, name, _ in decoder.disasm_lite(work.code, 0):
        kinds.setdefault(name, at)
    text = sh(
        machine,
        f"for o in {' '.join(map(str, kinds.values()))}; do echo -n sample_kprobes_work+$o > probe 2> /dev/null && "
        f"{{ echo {WORK} > call; echo $o $(cat call counts); }}; done",
    )
    lines = [line.split() for line in text.splitlines()]
    assert len(lines) > 15
    for offset, result, before, after, missed, *_ in lines:
        assert (result, before, missed) == (once, after, "0,"), offset
    assert sum(int(line[2]) > 1 for line in lines) > 8
    assert machine.warnings == []


def test_what_handlers_may_do(machine: Machine, arch: str) -> None:
    begins = "" if arch == "sparc64" else "FTRACE"
    flag = f"[{begins}]" if begins else ""
    machine.run("insmod /lib/modules/sample_kprobes.ko")
    sh(machine, "echo -n sample_kprobes_work > probe; echo -n call > handler; echo 1 > call")
    assert sh(machine, "cat counts").startswith("1 1 1, ")  # the second is missed: a handler is running
    assert sh(machine, "echo -n other > handler; echo 7 > call; cat call counts").startswith("-7\n2 1 1, ")
    # Seven calls: every other one is skipped by the entry handler, and maxactive is three.
    sh(machine, "echo -n sample_kprobes_depth > retprobe; echo 6 > depth")
    assert sh(machine, "cat depth counts") == "6\n2 1 1, 6 3 1, wrong 0\n"
    machine.tracefs.write("current_tracer", "function_graph")  # the other trampoline replaces its address
    assert sh(machine, "echo 6 > depth; cat depth counts") == "6\n2 1 1, 12 6 2, wrong 0\n"
    machine.tracefs.write("current_tracer", "nop")
    listed = [line[18:] for line in machine.run(f"cat {LIST}").output.decode().splitlines()]
    assert listed == [f"{one}+0x0  sample_kprobes {flag}" for one in ("k  sample_kprobes_work", "r  sample_kprobes_depth")]
    sh(machine, "echo -n count > handler; echo 0 > enabled; echo 7 > call")
    assert sh(machine, "cat counts enabled").startswith("2 1 1, ") and sh(machine, "cat enabled") == "0\n"
    assert machine.run(f"grep work {LIST}").output.decode().endswith(f"  sample_kprobes [DISABLED]{flag}\n")
    assert sh(machine, "echo 1 > enabled; echo 7 > call; cat counts").startswith("3 2 1, ")
    # Probes that a module leaves behind are removed before any CPU can jump there.
    sh(machine, "echo 1 > leave")
    assert machine.run("rmmod sample_kprobes").output.count(b"was left behind, and is unregistered") == 2
    assert machine.run(f"cat {LIST}").output == b""
    assert machine.warnings == []


def test_what_cannot_be_probed(machine: Machine) -> None:
    machine.run("insmod /lib/modules/sample_kprobes.ko")
    for place, why in (
        ("nonesuch", "No such file or directory"),
        ("sample_kprobes_work+1", "Invalid or incomplete multibyte or wide character"),  # EILSEQ
        ("memcpy", "Invalid argument"),  # not traceable
        ("__per_cpu_offset", "Invalid argument"),  # no code
    ):
        assert why in sh(machine, f"{{ echo -n {place} > probe; }} 2>&1"), place
    assert "No such file or directory" in sh(machine, "{ echo -n nonesuch > retprobe; } 2>&1")
    assert "Invalid argument" in sh(machine, "{ echo -n memcpy > retprobe; } 2>&1")
    assert machine.run(f"cat {LIST}").output == b""
    # The code of a probe may disappear before the probe; its old address is still shown.
    machine.run("insmod /lib/modules/sample_export.ko")
    sh(machine, "echo -n sample_sum_of_squares > probe; rmmod sample_export")
    assert re.fullmatch(rb"[0-9a-f]{16}  k  0x[0-9a-f]{16} \[GONE\]\n", machine.run(f"cat {LIST}").output)
    sh(machine, "echo -n - > probe; echo -n sample_kprobes_work > probe; echo 3 > call")
    assert sh(machine, "cat counts").startswith("1 1 0, ")
    assert machine.warnings == []


def test_linux_samples(machine: Machine, arch: str) -> None:
    """Their lines are those of Linux 6.1, with the registers of the architecture."""
    registers = {
        "x86_64": (r"ip = [0-9a-f]{16}, flags = 0x[0-9a-f]+", r"flags = 0x[0-9a-f]+"),
        "sparc64": (r"tpc = [0-9a-f]{16}, tstate = 0x[0-9a-f]+", r"tstate = 0x[0-9a-f]+"),
        "riscv64": (r"ip = [0-9a-f]{16}, status = 0x[0-9a-f]+", r"status = 0x[0-9a-f]+"),
    }
    before, after = registers[arch]
    machine.run("dmesg -c > /dev/null; insmod /lib/modules/kprobe_example.ko symbol=do_sys_openat2; cat /etc/passwd > /dev/null")
    machine.run("cat /sys/module/kprobe_example/parameters/symbol > /s; rmmod kprobe_example")
    lines = [line.partition("] ")[2] for line in machine.run("dmesg").output.decode().splitlines()]
    assert machine.run("cat /s").output == b"do_sys_openat2\n"
    assert re.fullmatch(r"kprobe_init: Planted kprobe at [0-9a-f]{16}", lines[0])
    assert re.fullmatch(rf"handler_pre: <do_sys_openat2> p->addr = 0x[0-9a-f]{{16}}, {before}", lines[1])
    assert re.fullmatch(rf"handler_post: <do_sys_openat2> p->addr = 0x[0-9a-f]{{16}}, {after}", lines[2])
    assert re.fullmatch(r"kprobe_exit: kprobe at [0-9a-f]{16} unregistered", lines[-1])
    machine.run("dmesg -c > /dev/null; insmod /lib/modules/kretprobe_example.ko; true & wait; rmmod kretprobe_example")
    lines = [line.partition("] ")[2] for line in machine.run("dmesg").output.decode().splitlines()]
    assert re.fullmatch(r"Planted return probe at kernel_clone: [0-9a-f]{16}", lines[0])
    assert re.fullmatch(r"kernel_clone returned \d+ and took \d+ ns to execute", lines[1])
    assert re.fullmatch(r"kretprobe at [0-9a-f]{16} unregistered", lines[-2])
    assert lines[-1] == "Missed probing 0 instances of kernel_clone"
    # A call that is active when the module is removed: it returns correctly, without a handler.
    machine.run("dmesg -c > /dev/null; insmod /lib/modules/kretprobe_example.ko func=do_nanosleep")
    machine.run("(sleep 0.02; echo woken > /s) & rmmod kretprobe_example; usleep 30000")
    assert machine.run("cat /s").output == b"woken\n" and b"took" not in machine.run("dmesg").output
    assert machine.warnings == []
