# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes: where they are possible, what they see and change, and that they affect nothing else."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from itertools import islice

import pytest

from emu.ftrace.errors import TraceError
from emu.ftrace.probes.placing import ProbePlace
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.counting_probes import CountingProbe, probe, remove
from tests.lib.golden import read_golden

LIST = "/sys/kernel/debug/kprobes/list"
TOLD = "ksys_read"  # a probe at its beginning uses its call site: gcc has left the delay slot of SPARC's call empty
READ_7 = "dd if=/proc/version bs=7 count=1 2> /dev/null"


@pytest.fixture
def machine(arch: str) -> Iterator[Machine]:
    with booted_machine(arch) as made:
        yield made
        assert made.warnings == []


def address_of(machine: Machine, function: str) -> int:
    return machine.kernel.image.symbol(function)


def instructions(machine: Machine, function: str) -> Iterator[int]:
    """The addresses in a function where a breakpoint is possible, in order, except in its call site."""
    symbol = machine.kernel.image.function_at(address_of(machine, function))
    assert symbol is not None
    for address in range(symbol.address + 1, symbol.address + symbol.size):
        try:
            machine.ftrace.kprobes.check(ProbePlace(address=address))
        except TraceError:
            continue
        if address not in machine.ftrace.sites:
            yield address


def elsewhere(machine: Machine, function: str = "vfs_read") -> ProbePlace:
    """The first place in a function where a breakpoint is possible."""
    return ProbePlace(address=next(instructions(machine, function)))


def refusal(machine: Machine, place: ProbePlace) -> tuple[str, str]:
    with pytest.raises(TraceError) as raised:
        machine.ftrace.kprobes.check(place)
    return errno.errorcode[raised.value.code], raised.value.why


# Places


def test_at_the_beginning_of_a_function_its_call_site_tells_of_calls(machine: Machine) -> None:
    (at_site,) = probe(machine, ProbePlace(TOLD))
    begin = address_of(machine, TOLD)
    assert machine.tracefs.read("enabled_functions").startswith(f"{TOLD} (1) R     ->ftrace_caller+0x0/0x")
    machine.run(READ_7)
    assert at_site.hits > 0 and at_site.ip == begin
    assert machine.run(f"cat {LIST}").output.decode() == f"{begin:016x}  k  {TOLD}+0x0    [FTRACE]\n"
    remove(machine, [at_site])
    assert machine.tracefs.read("enabled_functions") == machine.ftrace.kprobes.text() == ""


def test_elsewhere_a_breakpoint_does(machine: Machine) -> None:
    second, third = list(islice(instructions(machine, "vfs_read"), 3))[1:]
    offset = third - address_of(machine, "vfs_read")
    by_address, by_name = probe(machine, ProbePlace(address=second), ProbePlace("vfs_read", offset))
    hits = by_address.hits
    machine.run(READ_7)
    assert by_address.hits == by_name.hits > hits
    assert (by_address.ip, by_name.ip) == (second, third)
    assert machine.tracefs.read("enabled_functions") == ""
    assert machine.run(f"cat {LIST}").output.decode().splitlines()[-1] == f"{third:016x}  k  vfs_read+{offset:#x}    "
    before = by_name.hits
    remove(machine, [by_address, by_name])
    machine.run(READ_7)
    assert by_name.hits == before


def test_several_probes_at_one_place_are_the_newest_first(machine: Machine) -> None:
    at_site = probe(machine, ProbePlace("vfs_read"), ProbePlace("vfs_read"))
    by_breakpoint = probe(machine, elsewhere(machine), elsewhere(machine))
    remove(machine, [by_breakpoint.pop()])
    machine.run(READ_7)
    assert at_site[0].hits == at_site[1].hits == by_breakpoint[0].hits > 0
    remove(machine, [at_site[0]])
    hits = at_site[1].hits
    machine.run(READ_7)
    assert at_site[1].hits > hits == at_site[0].hits


def test_what_cannot_be_probed_is_refused_with_the_reason(machine: Machine, arch: str) -> None:
    begin = address_of(machine, "vfs_read")
    assert refusal(machine, ProbePlace("vfs_raed"))[0] == "ENOENT"
    assert refusal(machine, ProbePlace("vfs_raed"))[1].endswith("did you mean vfs_read?")
    code, why = refusal(machine, ProbePlace("vfs_read", 1))
    assert (code, why) == ("EILSEQ", f"no instruction begins at {begin + 1:#x}")
    assert refusal(machine, ProbePlace(address=0x1000))[1] == "0x1000 is in no function of the kernel"
    assert refusal(machine, ProbePlace("jiffies"))[0] == "EINVAL"
    assert refusal(machine, ProbePlace("memcpy"))[1] == "memcpy cannot be traced, so nothing in it can be probed"
    branch = next(
        branch for branch in machine.ftrace.keys.branches()
        if (found := machine.kernel.image.function_at(branch)) is not None and found.name == "try_to_wake_up"
    )  # fmt: skip
    assert refusal(machine, ProbePlace(address=branch)) == (
        "EINVAL", f"tracing itself changes the instruction at {branch:#x}"
    )  # fmt: skip
    assert machine.ftrace.kprobes.text() == ""


def test_a_refused_probe_changes_nothing(machine: Machine) -> None:
    with pytest.raises(TraceError):
        probe(machine, ProbePlace("vfs_read", 1))
    machine.ftrace.update_sites()
    assert machine.ftrace.kprobes.text() == "" and not machine.patching.busy


def test_there_is_no_room_only_when_all_places_are_in_use(machine: Machine) -> None:
    trampolines = machine.trace_array.recorder.globals.trampolines
    taken = []
    with pytest.raises(TraceError):
        while True:
            taken.append(trampolines.allocate(1))
    trampolines.release(taken.pop())
    (one,) = probe(machine, elsewhere(machine))
    with pytest.raises(TraceError) as full:
        probe(machine, elsewhere(machine, "vfs_write"))
    assert (full.value.code, full.value.why) == (errno.ENOMEM, "all places for trampolines are in use")
    remove(machine, [one])
    (other,) = probe(machine, elsewhere(machine, "vfs_write"))
    machine.run("echo > /dev/null")
    assert other.hits > 0


# Registers


def test_registers_are_those_before_the_instruction(machine: Machine, arch: str) -> None:
    registers = machine.ftrace.arch.probing().registers
    names = {word: name for name, word in registers.names.items()}
    size = names[registers.arguments[2]]  # of vfs_read(file, buffer, size, position)
    for place in (ProbePlace("vfs_read"), elsewhere(machine)):
        (one,) = probe(machine, place, registers=True)
        assert machine.run(READ_7).output == b"Linux v"
        seen = one.registers()
        expected = seen[size] if arch != "sparc64" or place.symbol else seen["i2"]
        assert expected == 7
        assert seen[names[registers.pc]] == one.ip
        assert machine.kernel.memory.physical(seen[names[registers.stack_pointer]])
        remove(machine, [one])


@pytest.mark.parametrize("begin", [True, False], ids=["site", "breakpoint"])
def test_a_cpu_goes_on_with_the_registers_that_a_consumer_has_changed(machine: Machine, arch: str, begin: bool) -> None:
    name = {"x86_64": "dx", "sparc64": "o2" if begin else "i2", "riscv64": "a2"}[arch]
    place = ProbePlace("ksys_read") if begin else elsewhere(machine, "ksys_read")
    one = CountingProbe(machine, place)
    one.write(name, 3)
    machine.ftrace.update_sites()
    machine.settle()
    output = machine.run("dd if=/proc/version bs=7 count=1 > /got; true").output
    remove(machine, [one])
    assert one.hits > 0, output
    assert machine.run("cat /got").output == b"Lin"


# Other users


@pytest.mark.parametrize("tracer", ["function", "function_graph"])
def test_tracers_see_the_same_functions_with_probes_in_them(machine: Machine, tracer: str) -> None:
    machine.tracefs.write("set_ftrace_filter", "vfs_read vfs_write")
    probes = probe(machine, ProbePlace("vfs_read"), elsewhere(machine))
    machine.tracefs.write("current_tracer", tracer)
    machine.run(READ_7)
    machine.tracefs.write("tracing_on", "0")
    hits = [one.hits for one in probes]
    assert hits[0] == hits[1] == machine.tracefs.read("trace").count("vfs_read")
    remove(machine, probes)


def test_ftrace_enabled_silences_those_at_sites(machine: Machine) -> None:
    at_site, by_breakpoint = probe(machine, ProbePlace(TOLD), elsewhere(machine))
    machine.run("sysctl kernel.ftrace_enabled=0")
    before = at_site.hits, by_breakpoint.hits
    machine.run(READ_7)
    assert at_site.hits == before[0] and by_breakpoint.hits > before[1]
    machine.run("sysctl kernel.ftrace_enabled=1")
    machine.run(READ_7)
    assert at_site.hits > before[0]


def test_all_are_switched_off_and_on_in_debugfs(machine: Machine) -> None:
    probes = probe(machine, ProbePlace("vfs_read"), elsewhere(machine))
    enabled = "/sys/kernel/debug/kprobes/enabled"
    assert machine.run(f"echo 0 > {enabled}; cat {enabled}").output == b"0\n"
    before = [one.hits for one in probes]
    machine.run(READ_7)
    assert [one.hits for one in probes] == before
    assert machine.run(f"echo maybe > {enabled}").output.endswith(b"Invalid argument\n")
    assert machine.run(f"echo Y > {enabled}; cat {enabled}").output == b"1\n"
    machine.run(READ_7)
    assert all(one.hits > hits for one, hits in zip(probes, before, strict=True))
    assert b"\tdo_syscall" in machine.run("cat /sys/kernel/debug/kprobes/blacklist").output


def test_each_protocol_turns_breakpoints_by_single_writes(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    place = elsewhere(machine)
    physical = machine.kernel.memory.physical(place.address or 0)
    written: list[bytes] = []
    write = machine.board.write_code

    def watch(address: int, code: bytes) -> None:
        if address <= physical < address + len(code):
            written.append(code)
        write(address, code)

    monkeypatch.setattr(machine.board, "write_code", watch)
    compiled = machine.kernel.memory.read(place.address or 0, len(breakpoint := machine.ftrace.arch.probing().breakpoint))
    for protocol in machine.ftrace.arch.protocols:
        machine.patching.protocol = protocol
        (one,) = probe(machine, place)
        machine.run(READ_7)
        assert one.hits > 0
        remove(machine, [one])
        assert written == [breakpoint, compiled]
        written.clear()


def test_probes_of_a_module_wait_for_it_and_go_with_it(machine: Machine) -> None:
    module = "event_cost"
    (waiting,) = probe(machine, ProbePlace("event_cost_call", 0, module))
    assert machine.ftrace.kprobes.text() == ""
    for _ in range(2):
        machine.run(f"insmod /lib/modules/{module}.ko")
        assert machine.ftrace.kprobes.text().endswith(f"  k  event_cost_call+0x0  {module} [FTRACE]\n")
        before = waiting.hits
        machine.run(f"echo 100 > /sys/module/{module}/parameters/calls")
        assert waiting.hits == before + 100
        machine.run(f"rmmod {module}")
        assert machine.ftrace.kprobes.text().endswith("[GONE]\n")


def test_a_module_that_does_not_fit_is_warned_of(arch: str) -> None:
    with booted_machine(arch) as machine:
        probe(machine, ProbePlace("event_cost_call", 1, "event_cost"))
        machine.run("insmod /lib/modules/event_cost.ko")
        (warning,) = machine.warnings
        assert warning.startswith(
            "the kprobe event_cost:event_cost_call+0x1 is not in the module that has been loaded: no instruction"
        )


# Everything at once


@pytest.mark.parametrize("begin", [True, False], ids=["sites", "breakpoints"])
def test_nothing_is_too_deep_in_the_kernel(arch: str, begin: bool) -> None:
    """Functions called by entry code and NMIs, locks, the scheduler: at the call site of each, and behind it."""
    with booted_machine(arch, cpus=4) as machine:
        functions = [machine.kernel.image.function_at(site) for site in machine.kernel.image.sites.tolist()]
        names = [function.name for function in functions if function is not None]
        deep = ("irq", "nmi", "exc_", "trap", "fault", "schedule", "preempt", "lock", "tick", "upcall", "hostdev", "syscall")
        names = [name for name in names if any(word in name for word in deep)]
        places = [ProbePlace(name) if begin else elsewhere(machine, name) for name in names]
        probes = [CountingProbe(machine, place, registers=True) for place in places]
        machine.ftrace.update_sites()
        machine.settle()
        machine.run("busy 4 1 > /busy.log &")
        for number in range(50):
            machine.inject_nmi(number % 4)
            machine.advance(20_000)
        while machine.advance(20_000_000):
            pass
        assert b" 0 errors" in machine.run("cat /busy.log").output
        assert sum(one.hits > 0 for one in probes) > 100
        handled = address_of(machine, "nmi_handle")
        assert next(one.hits for one in probes if handled <= one.ip < handled + 32) == 50
        remove(machine, probes)
        assert machine.warnings == []


# Backtraces


def test_an_oops_in_a_copy_is_one_at_the_instruction(arch: str) -> None:
    crash = "insmod /lib/modules/sample_crash.ko"
    calls = []
    for probed in (False, True):
        with booted_machine(arch) as machine:
            machine.run(f"{crash} how=nothing")
            begin = machine.kernel.modules.symbol("sample_crash", "sample_crash_null")
            offsets = []
            for offset in range(1, 64):
                try:
                    machine.ftrace.kprobes.check(ProbePlace(address=begin + offset))
                except TraceError:
                    continue
                offsets.append(offset)
            machine.run("rmmod sample_crash")
            if probed:
                probes = probe(machine, *(ProbePlace("sample_crash_null", offset, "sample_crash") for offset in offsets))
            machine.run(f"{crash} how=null")
            assert not probed or any(one.hits for one in probes)
            (oops,) = machine.warnings
            calls.append(oops[oops.index("Call Trace:") :])
            assert "  sample_crash_null+0x" in calls[-1]
    assert calls[0] == calls[1]


def test_a_stack_begins_at_the_probed_instruction(machine: Machine) -> None:
    tracefs, places = machine.tracefs, list(instructions(machine, "filemap_read"))
    offsets = [0, *(place - address_of(machine, "filemap_read") for place in (places[0], places[3]))]
    stacks = []
    for offset in offsets:
        tracefs.write("kprobe_events", f"p:here filemap_read+{offset}")
        tracefs.write("events/kprobes/here/trigger", "stacktrace")
        tracefs.write("events/kprobes/here/enable", "1")
        tracefs.write("trace", "")
        machine.run(READ_7)
        tracefs.write("events/kprobes/here/enable", "0")
        tracefs.write("events/kprobes/here/trigger", "!stacktrace")
        tracefs.write("options/sym-offset", "1")
        stacks.append(re.findall(r"<stack trace>\n((?: => .*\n)+)", tracefs.read("trace"))[-1].splitlines())
        tracefs.write("kprobe_events", "")
    begins = [stack[0].partition("/")[0] for stack in stacks]
    assert begins[1:] == [f" => filemap_read+{offset:#x}" for offset in offsets[1:]]
    assert stacks[0][1:] == stacks[1][1:] == stacks[2][1:]
    assert len(stacks[0]) > 3


# Linux's text


def test_the_lists_are_those_of_linux(machine: Machine) -> None:
    machine.tracefs.write("kprobe_events", "p:myopen do_sys_openat2")
    machine.tracefs.append("kprobe_events", "r32:myopenret do_sys_openat2 arg1=$retval")
    machine.tracefs.append("kprobe_events", f"p:grp/args {TOLD}")
    for path in ("kprobes/myopen", "kprobes/myopenret", "grp/args"):
        machine.tracefs.write(f"events/{path}/enable", "1")
    listed = machine.run(f"cat {LIST}").output.decode().splitlines()
    golden = read_golden("kprobes-list.txt").replace("vfs_read", TOLD).splitlines()
    assert sorted(line.partition(" ")[2] for line in listed) == sorted(line.partition(" ")[2] for line in golden)
    kinds = [line.split()[1] for line in listed if "do_sys_openat2" in line]
    assert kinds == [line.split()[1] for line in golden if "do_sys_openat2" in line]  # the newest first
    enabled = machine.tracefs.read("enabled_functions").splitlines()
    linux = read_golden("enabled_functions.kprobes.txt").replace("vfs_read", TOLD).splitlines()
    assert sorted(line.partition("->")[0] for line in enabled) == sorted(line.partition("\t")[0] + " " for line in linux)
