# SPDX-License-Identifier: GPL-2.0-only
"""Stacks that are unwound from outside are those that the kernel's own unwinder finds."""

from __future__ import annotations

import lzma
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import capstone
import pytest

from emu.cpu.cpu import Cpu
from emu.linux.find import kernels
from emu.linux.machine import LinuxMachine
from emu.linux.orc import text_without_orc
from tests.lib.linux_kernel import machines_kept_in
from tests.lib.orc_witness import PAGE, OrcWitness

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

# Files, processes, page faults, and a program that computes until it is interrupted
COMMANDS = ("ls / | cat > /dev/null", "i=0; while [ $i -lt 300 ]; do i=$((i+1)); done", "sleep 0.02")
FEW = ("schedule", "hrtimer_interrupt", "handle_mm_fault")
LONGER = (
    *COMMANDS,
    "find /sys -maxdepth 3 > /dev/null", "dd if=/dev/zero of=/tmp/zeros bs=4k count=50 2> /dev/null",
    "cat /proc/cpuinfo /proc/meminfo /proc/self/maps > /dev/null", "sleep 1 & kill $!", "trap : USR1; kill -USR1 $$",
    "for i in 1 2 3 4; do (i=0; while [ $i -lt 200 ]; do i=$((i+1)); done) & done; wait",
    "grep -c vfs /proc/kallsyms > /dev/null", "rm /tmp/zeros",
)  # fmt: skip
# Some of these are in one of the kernels only, or are called by no command.
MANY = (
    *FEW, "vfs_read", "vfs_write", "do_sys_openat2", "kmem_cache_alloc", "kmem_cache_alloc_noprof", "_raw_spin_lock",
    "tick_sched_timer", "tick_nohz_handler", "update_process_times", "scheduler_tick", "sched_tick", "__do_softirq", "rcu_core",
    "handle_softirqs", "run_timer_softirq", "process_one_work", "try_to_wake_up", "exit_mmap", "do_exit", "load_elf_binary",
    "call_rcu", "security_file_open", "generic_smp_call_function_single_interrupt", "serial8250_handle_irq", "sched_ttwu_pending",
    "copy_page_to_iter", "do_send_sig_info", "arch_do_signal_or_restart", "tick_nohz_idle_enter", "ktime_get_update_offsets_now",
)  # fmt: skip
OFTEN = ("process_one_work", "try_to_wake_up", "rcu_core", "run_timer_softirq", "_raw_spin_lock", "exit_mmap", "vfs_read")


def same(witness: OrcWitness) -> None:
    assert len(witness.wrong) == 0, f"{len(witness.wrong)} of {witness.compared.total()}\n" + "\n".join(witness.wrong[:3])


def every_begin(witness: OrcWitness) -> None:
    """Except where tracing begins and ends, each of the kernel's stacks has one that was unwound where the function began."""
    assert abs(witness.begun.total() - witness.compared.total()) <= 2


def test_stacks_are_those_of_the_kernel(kept_machines: Path, real_kernel: Path) -> None:
    with LinuxMachine(kernel=real_kernel) as machine:
        witness = OrcWitness(machine)
        assert witness.traces(FEW) == set(FEW)
        witness.compares(*COMMANDS)
        same(witness)
        every_begin(witness)
        assert min(witness.compared[name] for name in FEW) > 3
        assert machine.warnings == []


@pytest.fixture(scope="module", params=["6.1", "6.12"])
def version(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A kernel of a version; during the tests its machine is kept."""
    found = [kernel.path for kernel in kernels() if kernel.version.startswith(f"{request.param}.") and "cloud" in kernel.version]
    if not found:
        pytest.skip(f"needs a kernel {request.param}: emu linux fetch, with --release")
    with machines_kept_in(tmp_path_factory.mktemp("machines")):
        yield found[0]


@pytest.fixture
def witness(version: Path) -> Iterator[OrcWitness]:
    """Watches a machine with this kernel. Whatever is compared is equal."""
    with LinuxMachine(kernel=version) as machine:
        found = OrcWitness(machine)
        yield found
        same(found)
        assert machine.warnings == []


LONG = pytest.mark.long("kernels of other versions are booted, and thousands of stacks compared")


@LONG
def test_many_functions(witness: OrcWitness) -> None:
    """Of tasks, kernel threads, idle CPUs; on the stacks for interrupts, with soft interrupts; in page faults of the kernel's."""
    assert len(witness.traces(MANY)) > 25
    witness.compares(*LONGER)
    every_begin(witness)
    assert witness.compared.total() > 5000
    assert len(witness.compared) > 20 and min(witness.compared[name] for name in OFTEN) > 3


@LONG
def test_an_nmi_anywhere(witness: OrcWitness) -> None:
    """Its handler has a stack of its own."""
    in_nmi = {"nmi_cpu_backtrace_handler", "unknown_nmi_error"}
    assert witness.traces((*in_nmi, "_raw_spin_lock", *FEW)) > in_nmi
    chance = random.Random(0)

    def raise_nmi(cpu: Cpu, function: str) -> None:
        if function not in in_nmi and chance.random() < 0.2:
            cpu.raise_nmi()

    witness.on_begin = raise_nmi
    witness.compares(*COMMANDS)
    assert min(witness.compared[name] for name in in_nmi) > 50


def instructions(witness: OrcWitness, name: str) -> Sequence[int]:
    """The offsets of a function's instructions, as far as it goes straight on."""
    address = witness.symbols.address(name)
    assert address is not None
    code = witness.board.cpus[0].read(address, 400)
    found = [one.address - address for one in capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64).disasm(code, address)]
    return [offset for offset in found if witness.symbols.at(address + offset) == (name, offset)]


@LONG
def test_arbitrary_instructions(witness: OrcWitness) -> None:
    """Probes take stacks there: before a function has its frame, and when it has none any more."""
    chance = random.Random(0)
    lines = []
    for name in (*OFTEN, *FEW, "do_sys_openat2"):
        offsets = instructions(witness, name)
        for at in chance.sample(offsets, min(20, len(offsets))):
            lines.append(f"echo p {name}+{at} >> kprobe_events 2> /dev/null || :")
    witness.shell("echo 0 > tracing_on", *lines, "echo 1 > options/stacktrace", "echo 1 > events/kprobes/enable")
    copies = witness.shell("grep __builtin__kprobes /proc/kallsyms").splitlines()
    assert len(copies) > 0
    witness.knows_code(*(text_without_orc(int(line.split()[0], 16), PAGE) for line in copies))
    witness.compares(*COMMANDS)
    probes = witness.shell("cat kprobe_profile").splitlines()
    assert sum(int(line.split()[1]) > 0 for line in probes) > 50
    assert witness.compared["at a probe"] > 1000


@LONG
def test_modules(witness: OrcWitness, version: Path) -> None:
    """Their tables are those that the kernel is given when it loads them, not sorted yet."""
    file = next((version.parents[1] / "lib").rglob("overlay.ko*"))
    data = file.read_bytes() if file.suffix == ".ko" else lzma.decompress(file.read_bytes())
    witness.shell("cat > /tmp/overlay.ko", "insmod /tmp/overlay.ko", stdin=data)
    (orc,) = witness.modules
    size, address = witness.shell("grep ^overlay /proc/modules").split()[1::4]
    lower, upper, work, here = (f"/tmp/over/{name}" for name in ("lower", "upper", "work", "here"))
    witness.traces(("vfs_open", "kmem_cache_alloc", "kmem_cache_alloc_noprof", "vfs_getattr", "_raw_spin_lock"))
    witness.knows_code(orc.text(int(address, 16), int(size)))
    options = f"lowerdir={lower},upperdir={upper},workdir={work}"
    witness.compares(
        f"mkdir -p {lower} {upper} {work} {here}", f"echo text > {lower}/file", f"mount -t overlay overlay -o {options} {here}",
        f"cat {here}/file", f"echo more >> {here}/file", f"ls -l {here}", f"umount {here}",
    )  # fmt: skip
    assert witness.with_address_in(int(address, 16), int(size)) > 50
