# SPDX-License-Identifier: GPL-2.0-only
"""Rungs of probes in the kernel and in programs, of direct calls, live patches and the race lab."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from elftools.elf.elffile import ELFFile

import emu.race
from emu.cpu.arch import CpuArch
from emu.cpu.disassembly import disassemble
from emu.ftrace import arch as ftrace_arch
from emu.ftrace.errors import TraceError
from emu.installation import image_directory
from emu.kernel.cpio import read_entries
from emu.machine import Machine
from emu.port.ladder import arch as templates_of
from emu.port.ladder.direct import check_changes
from emu.port.ladder.guest import booted, booted_with, contains, quiet, run, text_bytes, traced
from emu.port.ladder.guest_probes import can_probe, check_registers, check_samples
from emu.port.ladder.probed_code import copies, refusals, replaced
from emu.port.ladder.probed_programs import NAME, check_instructions
from emu.port.ladder.rung import NotSupported, RungFailed, expect, fail
from emu.race.limits import Limits

__all__ = ["direct_calls", "kprobes", "live_patching", "race_lab", "uprobes"]

_PLACES = 12  # instructions probed at once in each function
_FUNCTIONS = ("vfs_read", "do_filp_open", "kmem_cache_alloc", "__schedule", "ksys_write", "copy_process", "do_exit", "pipe_read")
_BIAS = 4096  # bytes: a stack pointer may be less than its address
_MOST_REFUSED = 80
_MOST_FUNCTIONS, _MOST_INSTRUCTIONS = 8, 16  # of a program, and of a function
_STATES, _STAGES = 2000, 9
_CORPUS = Path(emu.race.__file__).resolve().parent / "corpus"


def kprobes(arch: str) -> str:
    """Kprobes and return probes at sites and at instructions: arguments, results, and nothing else changes."""
    refusals(arch)
    copies(arch)
    with booted(arch, 2) as machine:
        tracefs = machine.tracefs
        before = text_bytes(machine)
        read = "dd if=/proc/version bs=7 count=1 2> /dev/null"
        tracefs.write("kprobe_events", "p:atsite ksys_read count=$arg3:u64\nr:back ksys_read got=$retval:u64\n")
        tracefs.write("events/kprobes/enable", "1")
        text = traced(machine, read)
        contains("a probe at a call site", [r"atsite: \(ksys_read\+0x0/0x[0-9a-f]+\) count=7$"], text)
        contains("a probe of the return", [r"back: \(\w+\+0x[0-9a-f]+/0x[0-9a-f]+ <- ksys_read\) got=7$"], text)
        tracefs.write("events/kprobes/enable", "0")
        tracefs.write("kprobe_events", "")
        _stacks(machine)
        count = _instructions(machine, read)
        expect("the text without probes is as before", True, before == text_bytes(machine))
        _hits(machine)
        check_registers(machine)
        quiet(machine)
        count += check_samples(machine)
        quiet(machine)
        _from_modules(machine)
        quiet(machine)
        return f"{count} instructions"


def _stacks(machine: Machine) -> None:
    """A stack whose calls are watched by return probes is the one without them."""
    sleeper = "sleep 0.02 & cat /proc/$!/stack; wait"
    plain = run(machine, sleeper)
    machine.tracefs.write("kprobe_events", "r:inner do_nanosleep\nr:outer sys_nanosleep\n")
    machine.tracefs.write("events/kprobes/enable", "1")
    expect("/proc/PID/stack of a task in a function that a return probe watches", plain, run(machine, sleeper))
    machine.tracefs.write("events/kprobes/enable", "0")
    machine.tracefs.write("kprobe_events", "")


def _instructions(machine: Machine, read: str) -> int:
    """Probes many instructions at once, under function_graph, while programs check their results."""
    tracefs, image = machine.tracefs, machine.kernel.image
    defined = []
    for function in _FUNCTIONS:
        symbol = image.function_at(image.symbol(function))
        assert symbol is not None
        step = machine.board.arch.instruction_alignment
        places = range(step, symbol.size, step)
        for offset in islice((n for n in places if can_probe(machine, symbol.address + n)), _PLACES):
            defined.append((f"{function}_{offset}", f"{function}+{offset}"))
    if len(defined) < len(_FUNCTIONS):
        fail("instructions that can be probed in each function", f"{len(defined)} in all")
    tracefs.write("kprobe_events", "".join(f"p:{name} {place} sp=$stack:u64\n" for name, place in defined))
    tracefs.write("events/kprobes/enable", "1")
    tracefs.write("options/stacktrace", "1")
    text = traced(machine, read)
    contains("a probe within a function", [r": vfs_read_\d+: \(vfs_read\+0x[0-9a-f]+/0x[0-9a-f]+\)", "<stack trace>",
        "=> ksys_read"], text)
    begin = machine.board.arch.direct_map
    for pointer in map(int, re.findall(r" sp=(\d+)$", text, re.MULTILINE)):
        if not begin - _BIAS <= pointer < begin + machine.board.memory:
            fail("$stack of probes within functions: an address in RAM", hex(pointer))
    tracefs.write("options/stacktrace", "0")
    run(machine, "busy 3 1 | grep ' 0 errors'; ls /bin | sort | head -1")
    tracefs.write("current_tracer", "function_graph")
    run(machine, "busy 2 1 | grep ' 0 errors'")
    tracefs.write("current_tracer", "nop")
    tracefs.write("events/kprobes/enable", "0")
    hits = {line.split()[0]: int(line.split()[1]) for line in tracefs.read("kprobe_profile").splitlines()}
    if sum(count > 0 for count in hits.values()) < len(_FUNCTIONS):
        fail("most probes are hit", f"{sum(count > 0 for count in hits.values())} of {len(hits)}")
    tracefs.write("kprobe_events", "")
    return len(defined)


def _hits(machine: Machine) -> None:
    """Python functions at an instruction see its registers, and may change the result."""
    names: list[str] = []
    with machine.probe("vfs_read", lambda hit: names.append(hit.comm)):
        run(machine, "cat /proc/version")
    if "cat" not in names:
        fail("Machine.probe calls for the task cat", ", ".join(sorted(set(names))) or "never")
    returned: list[object] = []
    with machine.probe("sys_getpid", lambda hit: returned.append(hit.args["got"]), args="got=$retval:u64", returns=True):
        printed = run(machine, "getpid")
    expect("the result of sys_getpid, and what the program prints", int(printed), returned[-1] if returned else None)


def _from_modules(machine: Machine) -> None:
    """Probes that the guest's own modules set."""
    modules = "insmod /lib/modules/{0}.ko; cat /proc/version > /dev/null; rmmod {0}"
    run(machine, modules.format("kprobe_example"))
    run(machine, modules.format("kretprobe_example"))
    log = run(machine, "dmesg")
    contains("messages of kprobe_example", [r"handler_pre: <kernel_clone> p->addr = 0x", r"handler_post: <kernel_clone>"], log)
    contains("messages of kretprobe_example", [r"kernel_clone returned \d+ and took \d+ ns"], log)
    machine.tracefs.write("current_tracer", "function_graph")
    run(machine, modules.format("kprobe_example") + "; " + modules.format("kretprobe_example"))
    machine.tracefs.write("current_tracer", "nop")


def uprobes(arch: str) -> str:
    """Probes at functions and instructions of programs, and of their returns; the programs do as without."""
    floats, instructions = templates_of.load(arch).floating_point, templates_of.load(arch).probed_program
    sources = {name: source for name, source in (("floats", floats), (NAME, instructions)) if source}
    with booted_with(arch, 2, "/floats", sources) as (machine, folder):
        _functions_of_programs(machine)
        kinds = check_instructions(machine, folder / NAME, f"/floats/{NAME}") if instructions else 0
        programs = f"{_PROGRAM}; /floats/floats; echo $?" if floats else _PROGRAM
        plain = run(machine, programs)
        defined = 0
        for path, elf in _programs(arch, folder if floats else None):
            for offset in _places(elf, machine.board.arch):
                try:
                    machine.tracefs.append("uprobe_events", f"p:u{defined} {path}:{offset:#x}\n")
                except (TraceError, OSError):
                    continue
                defined += 1
        refused = _enable(machine)
        if defined - len(refused) < max(100, 0.9 * defined):
            fail("a hundred places or more in programs, and nine tenths of those that are tried, can be probed", refused[0])
        expect("the output of programs that are probed", plain, run(machine, programs))
        hits = sum(int(line.split()[2]) > 0 for line in machine.tracefs.read("uprobe_profile").splitlines())
        if hits < 20:
            fail("many probes in programs are hit", f"{hits} of {defined}")
        machine.tracefs.write("events/uprobes/enable", "0")
        machine.tracefs.write("uprobe_events", "")
        expect("the output of programs that are no longer probed", plain, run(machine, programs))
        quiet(machine)
        return f"{defined + kinds} places in programs, {hits + kinds} of them hit"


def _enable(machine: Machine) -> list[str]:
    """Enables all probes in programs, except those whose instructions the guest refuses: returns why."""
    refused: list[str] = []
    while len(refused) < _MOST_REFUSED:
        try:
            machine.tracefs.write("events/uprobes/enable", "1")
        except TraceError as error:
            name = re.search(r"event uprobes:(\w+)", str(error))
            if name is None:
                raise
            machine.tracefs.write("events/uprobes/enable", "0")
            machine.tracefs.append("uprobe_events", f"-:{name[1]}\n")
            refused.append(str(error))
            continue
        return refused
    raise RungFailed("few places in programs cannot be probed", "; ".join(refused[:5]))


def _functions_of_programs(machine: Machine) -> None:
    tracefs = machine.tracefs
    main = machine.program_files.file_offset("/bin/cat", "main")
    first = templates_of.load(machine.board.arch.name).probe_argument
    entered = f"p:entered /bin/cat:{main:#x} argc={first}:u64\n"
    tracefs.write("uprobe_events", f"{entered}r:left /bin/cat:{main:#x} status=$retval:u64\n")
    tracefs.write("events/uprobes/enable", "1")
    text = traced(machine, "cat /proc/version > /dev/null; cat /nosuch /proc/version > /dev/null 2>&1", 1)
    contains("probes of main and of its return, of two programs", [
        r" cat-\d+ .*entered: \(0x[0-9a-f]+\) argc=2$", r" cat-\d+ .*left: .* status=0$",
        r" cat-\d+ .*entered: \(0x[0-9a-f]+\) argc=3$", r" cat-\d+ .*left: .* status=1$",
    ], text)  # fmt: skip
    tracefs.write("events/uprobes/enable", "0")
    tracefs.write("uprobe_events", "")


def _programs(arch: str, floats: Path | None) -> Iterator[tuple[str, ELFFile]]:
    """Programs of the guest, by their paths there."""
    wanted = {f"bin/{name}": f"/bin/{name}" for name in ("ls", "sh", "busy", "recurse", "printf", "test")}
    for entry in read_entries((image_directory(arch) / "initramfs.cpio").read_bytes()):
        if entry.name in wanted and entry.data:
            yield wanted[entry.name], ELFFile(io.BytesIO(entry.data))
    if floats is not None:
        yield "/floats/floats", ELFFile(io.BytesIO((floats / "floats").read_bytes()))


def _places(elf: ELFFile, arch: CpuArch) -> Iterator[int]:
    """File offsets of instructions in some of a program's functions; of a program without such symbols, in all of its code."""
    text = elf.get_section_by_name(".text")
    start, first, code = int(text["sh_offset"]), int(text["sh_addr"]), bytes(text.data())
    symbols = elf.get_section_by_name(".symtab")
    found = sorted({(int(one["st_value"]), int(one["st_size"])) for one in symbols.iter_symbols()
                    if one["st_info"]["type"] == "STT_FUNC" and one["st_size"]}) if symbols else []  # fmt: skip
    for address, size in found[:: max(1, len(found) // _MOST_FUNCTIONS)] or [(first, len(code))]:
        if first <= address < first + len(code):
            begin = address - first
            for instruction in disassemble(arch, code[begin : begin + size], begin)[:_MOST_INSTRUCTIONS]:
                yield start + instruction.address


_PROGRAM = "ls /bin | head -3; busy 2 1; sh -c 'echo shell; test 1 -lt 2 && printf \"%d %s\\\\n\" 7 words'; recurse 20 1"


def direct_calls(arch: str) -> None:
    """A module makes a site call one of its own functions, with the arguments of the traced function."""
    if not ftrace_arch.load(arch).direct_calls:
        raise NotSupported("FtraceArch.direct_calls is False")
    with booted(arch, 2) as machine:
        text = traced(machine, "insmod /lib/modules/ftrace-direct.ko; sleep 0.001; rmmod ftrace_direct")
        contains("what a function that is called directly writes", [r"my_direct_func \[ftrace_direct\]: waking up \w+-\d+"], text)
        expect("functions that are traced or called afterwards", "", machine.tracefs.read("enabled_functions"))
        machine.tracefs.write("current_tracer", "function")
        for module in ("ftrace-direct-too", "ftrace-direct-multi", "ftrace-direct-modify", "ftrace-direct-multi-modify"):
            name = module.replace("-", "_")
            text = traced(machine, f"insmod /lib/modules/{module}.ko; ls /bin > /dev/null; sleep 0.001; rmmod {name}")
            contains(f"what {module} has functions call directly", [rf"my_direct_func\d? \[{name}\]: "], text)
        machine.tracefs.write("current_tracer", "nop")
        run(machine, "busy 2 1 | grep ' 0 errors'")
        check_changes(machine)
        quiet(machine)


def live_patching(arch: str) -> None:
    """Functions are replaced while CPUs call them; arguments and results are right, also under tracers."""
    replaced(arch)
    with booted(arch, 2) as machine:
        both = "sh -c 'getpid; getpid; true'"
        with machine.patch("sys_getpid", to="sys_getppid") as patch:
            for tracer in ("nop", "function", "function_graph"):
                machine.tracefs.write("current_tracer", tracer)
                first, second = run(machine, both).split()
                expect(f"getpid(), replaced by getppid(), tells two children of a shell the same, with {tracer}", first, second)
            machine.tracefs.write("current_tracer", "nop")
            expect("LivePatch.active", True, patch.active)
        expect("the site without the patch", "nop", machine.site("sys_getpid").state)
        first, second = run(machine, both).split()
        expect("without the patch, getpid() tells two children of a shell the same", False, first == second)
        run(machine, "insmod /lib/modules/sample_bug.ko")
        with machine.patch("sample_bug_max", to="sample_bug_max_repaired"):
            machine.advance(1_000_000)
            found = _wrong(machine)
            machine.advance(5_000_000)
            expect("wrong results while the function is replaced by a right one", found, _wrong(machine))
        machine.advance(5_000_000)
        if _wrong(machine) <= found:
            fail("wrong results once the patch is gone", "none")
        code = templates_of.load(arch).returns_42
        if code:
            with machine.patch("sys_getpid", asm=code):
                expect("getpid(), replaced by code that returns 42", 42, int(run(machine, "getpid")))
        quiet(machine)


def _wrong(machine: Machine) -> int:
    return int(run(machine, "cat /sys/module/sample_bug/parameters/wrong"))


def race_lab(arch: str) -> str:
    """The race lab agrees with itself: protocols are safe in the model and on the machine, and broken ones are found."""
    from emu.port.ladder.litmus import check_litmus
    from emu.race import api
    from emu.race.litmus import explore, read

    check_litmus(arch)

    names = ftrace_arch.load(arch).protocols
    found = api.certify(names[0], arch, cpus=2, sites=1)
    models = list(dict.fromkeys(verdict.fetch for verdict in found))
    unsafe = {verdict.fetch: verdict.why for verdict in found if not verdict.ok}
    safe = [model for model in models if model not in unsafe]
    if not safe:
        reasons = "; ".join(f"{fetch}: {why}" for fetch, why in unsafe.items())
        fail(f"the model finds {names[0]} safe under a fetch model", reasons)
    text = f'scenario  ladder\n"the protocol of the port"\narch      {arch}\nprotocol  {names[0]}\ncpus      2\nexpect    safe\n'
    for verdict in api.explore(text, on="both", fetch=safe, limit=Limits(states=_STATES)):
        if verdict.wrong is not None:
            fail(f"{names[0]} is safe, on the {verdict.on}, under {verdict.fetch}", verdict.why)
    for stage in range(1, _STAGES):
        mutant = text.replace(names[0], f"{names[0]} without {stage}").replace("safe", "unsafe")
        if any(verdict.wrong for verdict in api.explore(mutant, fetch=safe)):
            break
    else:
        fail(f"the model finds {names[0]} unsafe without one of its stages", "it is safe without any of them")
    tests = [test for test in map(read, sorted(_CORPUS.glob("*.litmus"))) if test.arch == arch]
    if not tests:
        fail(f"a litmus test of {arch} in emu/race/corpus", "none")
    for test in tests:
        for fetch in test.fetch:
            judged = explore(test, fetch)
            if not judged.ok:
                fail(f"the litmus test {test.name} under {fetch} is as it says", judged.why)
    under = f" under {', '.join(safe)}" if unsafe else ""
    return f"{names[0]} is safe{under}, without its stage {stage} it is not; {len(tests)} litmus tests"
