# SPDX-License-Identifier: GPL-2.0-only
"""Events of kprobes: definitions in kprobe_events, and lines in the trace."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import suppress

import pytest

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.golden import read_golden
from tests.lib.trampoline_places import leave_places

# Registers of a function's first three arguments.
ARGUMENTS = {"x86_64": ("di", "si", "dx"), "sparc64": ("o0", "o1", "o2"), "riscv64": ("a0", "a1", "a2")}


@pytest.fixture
def machine(arch: str) -> Iterator[Machine]:
    with booted_machine(arch, cpus=2) as made:
        yield made


def here(arch: str, text: str) -> str:
    """A text about x86-64 with the registers of an architecture."""
    for theirs, own in zip(ARGUMENTS["x86_64"], ARGUMENTS[arch], strict=True):
        text = text.replace(f"%{theirs}", f"%{own}")
    return text


def define(machine: Machine, *lines: str) -> None:
    machine.tracefs.append("kprobe_events", "\n".join(lines))


def refused(machine: Machine, command: str, file: str = "kprobe_events") -> int:
    before = machine.tracefs.read("kprobe_events")
    with pytest.raises(TraceError) as error:
        machine.tracefs.append(file, command)
    assert machine.tracefs.read("kprobe_events") == before
    return error.value.code


def trace(machine: Machine) -> list[str]:
    """The lines of the trace, from the event's name on."""
    lines = machine.tracefs.read("trace").splitlines()
    return [line.split(": ", 1)[1] for line in lines if not line.startswith("#")]


def places(machine: Machine) -> set[str]:
    """The functions whose probes have recorded entries."""
    return set(re.findall(r": \((\w+)\+0x0/", machine.tracefs.read("trace")))


def golden_definitions(arch: str) -> tuple[list[str], str]:
    """The definitions on Linux 6.1, and the resulting formats without the numbers."""
    text = read_golden("kprobe-def.txt")
    definitions = text.split("# dynamic_events")[0].splitlines()[1:]
    formats = re.sub(r"ID: \d+\n", "", text[text.index("== ") :])
    return [here(arch, line) for line in definitions], formats


def test_definitions_and_formats_are_linux_s(machine: Machine, arch: str) -> None:
    definitions, formats = golden_definitions(arch)
    define(machine, *definitions)
    for file in ("kprobe_events", "dynamic_events"):
        assert machine.tracefs.read(file).splitlines() == definitions
    events = machine.tracefs.listdir("events/kprobes")
    assert {"enable", "filter", "myopen", "myopenret"} == set(events)
    names = ("kprobes/myopen", "kprobes/myopenret", "grp/args")
    made = "".join(f"== {name}/format\n{machine.tracefs.read(f'events/{name}/format')}" for name in names)
    assert re.sub(r"ID: \d+\n", "", made) == formats
    # The text of the file, written back, gives the same text.
    shown = machine.tracefs.read("kprobe_events")
    machine.tracefs.write("kprobe_events", shown)
    assert machine.tracefs.read("kprobe_events") == shown


def test_errors_are_linux_s(machine: Machine, arch: str) -> None:
    commands = re.findall(r"^# echo '(.*)' >> kprobe_events", read_golden("error-kprobes.txt"), re.MULTILINE)
    missing = {"p:foo nosuchfunc", "-:nothere"}
    for command in commands:
        expected = errno.ENOENT if command in missing else errno.EILSEQ if "+0x1" in command else errno.EINVAL
        assert refused(machine, here(arch, command)) == expected, command
    log = re.sub(r"^\[.*?\]", "[]", machine.tracefs.read("error_log"), flags=re.MULTILINE)
    golden = read_golden("error_log.after-bad-kprobes.txt")
    assert log == here(arch, re.sub(r"^\[.*?\]", "[]", golden, flags=re.MULTILINE))


def test_entries_are_shown_as_linux_shows_them(machine: Machine, arch: str) -> None:
    definitions, _ = golden_definitions(arch)
    define(machine, *definitions)
    machine.tracefs.write("events/kprobes/enable", "1")
    machine.tracefs.write("events/grp/enable", "1")
    assert machine.run("echo hello > /tmp/a; cat /tmp/a; cat /nowhere").status == 1
    lines = trace(machine)
    opened = [line for line in lines if line.startswith("myopen:")]
    assert all(
        re.fullmatch(r'myopen: \(do_sys_openat2\+0x0/0x\w+\) dfd=0x\w*ffffff9c filename="\S+" flags=0x\w+', line)
        for line in opened
    )
    assert any('filename="/tmp/a"' in line for line in opened)
    returned = [line for line in lines if line.startswith("myopenret:")]
    assert all(re.fullmatch(r"myopenret: \(\w+\+0x\w+/0x\w+ <- do_sys_openat2\) arg1=0x\w+", line) for line in returned)
    assert any(line.endswith("arg1=0xfffffffffffffffe") for line in returned)
    read = [line for line in lines if line.startswith("args:")]
    expected = re.compile(
        r'args: \(vfs_read\+0x0/0x\w+\) file=0x\w{16} buf=0x\w+ count=\d+ comm="\w+" stk=0x\w+ sp=0x\w{16} bits=\d+ ch=0x\w+'
        r" arr=\{0x\w+,0x\w+,0x\w+,0x\w+\} imm=0x7 sym=\d+"
    )
    assert read and all(expected.fullmatch(line) for line in read)
    assert len(opened) == len(returned)
    profile = machine.tracefs.read("kprobe_profile").splitlines()
    counts = {"myopen": len(opened), "myopenret": len(returned), "args": len(read)}
    assert profile == [f"  {name:<44} {count:15} {0:15}" for name, count in counts.items()]
    golden = read_golden("kprobe_profile.txt").splitlines()
    assert [re.sub(r"\d+", "N", line).replace(" ", "") for line in profile] == [
        re.sub(r"\d+", "N", line).replace(" ", "") for line in golden
    ] and {len(line) for line in profile} == {len(line) for line in golden}


def test_a_function_s_arguments_and_return_values_are_the_guest_s(machine: Machine, arch: str) -> None:
    asked = "p:asked ksys_write fd=$arg1:s32 text=+0($arg2):ustring count=$arg3:u64"
    define(machine, asked, "r:done ksys_write got=$retval:s64")
    machine.tracefs.write("events/kprobes/enable", "1")
    machine.run("echo hello")
    text = machine.tracefs.read("trace")
    assert re.search(r'asked: \(ksys_write\+0x0/0x\w+\) fd=1 text="hello\n" count=6\n', text)
    assert re.search(r"done: \(\w+\+0x\w+/0x\w+ <- ksys_write\) got=6\n", text)


def test_filters_and_instances_know_probes_events(machine: Machine, arch: str) -> None:
    define(machine, "p:opened do_sys_openat2 file=+0($arg2):ustring")
    machine.tracefs.mkdir("instances/other")
    machine.tracefs.write("events/kprobes/opened/filter", 'file ~ "/etc/*"')
    machine.tracefs.write("events/kprobes/opened/enable", "1")
    machine.tracefs.write("instances/other/events/kprobes/opened/enable", "1")
    machine.run("cat /etc/passwd /bin/sh > /tmp/copy")
    own = [line.split("file=")[1] for line in trace(machine)]
    other = re.findall(r"file=(.*)", machine.tracefs.read("instances/other/trace"))
    assert own == ['"/etc/passwd"'] and {'"/etc/passwd"', '"/bin/sh"'} <= set(other)


def test_several_probes_may_be_one_event(machine: Machine, arch: str) -> None:
    fs = machine.tracefs
    define(machine, "p:both vfs_read a=$arg3:u32", "p:both vfs_write a=$arg3:u32")
    fs.write("events/kprobes/both/enable", "1")
    machine.run("echo 1 | head -1")
    assert places(machine) == {"vfs_read", "vfs_write"}
    for command, why in (
        ("p:both vfs_read a=$arg3:u32", "There is already the exact same probe event"),
        ("p:both vfs_open a=$arg3:u64", "Argument type or name is different from existing probe"),
        ("p:both vfs_open", "Argument type or name is different from existing probe"),
        ("r:both vfs_open a=$retval:u32", "Probe type is different from existing probe"),
        ("p:sched/sched_switch vfs_open", "Given group/event name is already used by another event"),
    ):
        assert refused(machine, command) == errno.EEXIST
        assert why in fs.read("error_log")
    # A new one takes effect at once while the event is enabled, and one may be removed. The last one may not, nor all.
    define(machine, "p:both vfs_open a=$arg1:u32")
    fs.append("kprobe_events", "-:both vfs_write")
    fs.write("trace", "")
    machine.run("echo hello > /tmp/a; cat /tmp/a")
    assert places(machine) == {"vfs_read", "vfs_open"}
    assert refused(machine, "-:both") == errno.EBUSY
    fs.append("kprobe_events", "-:both vfs_read a=$arg3:u32")
    assert refused(machine, "-:both vfs_open") == errno.EBUSY
    with pytest.raises(TraceError):
        fs.write("kprobe_events", "")
    fs.write("events/kprobes/both/enable", "0")
    fs.append("kprobe_events", "-:kprobes/both vfs_open")
    assert fs.read("kprobe_events") == "" and not fs.exists("events/kprobes")
    assert trace(machine) == []


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("p vfs_read", "p:kprobes/p_vfs_read_0 vfs_read"),
        ("r vfs_read", "r10:kprobes/r_vfs_read_0 vfs_read"),
        ("p:x/ vfs_read%return", "r10:x/r_vfs_read_0 vfs_read"),
        ("r3:x.y vfs_read a=\\-1:s8", "r3:x/y vfs_read a=\\-1:s8"),
        ("p nosuchmodule:some+8", "p:kprobes/p_nosuchmodule_some_8 nosuchmodule:some+8"),
    ],
)
def test_names_and_places(machine: Machine, command: str, shown: str) -> None:
    define(machine, command)
    assert machine.tracefs.read("kprobe_events") == f"{shown}\n"


@pytest.mark.parametrize("command", ["p:x\x1cvfs_read", "r:x\x1f/bin/ls:0x100", "e:x\x85sched.sched_switch"])
def test_only_white_space_of_c_separates_words(machine: Machine, command: str) -> None:
    with pytest.raises(TraceError) as refused:
        machine.tracefs.append("dynamic_events", command)
    assert refused.value.code == errno.EINVAL


def test_an_address_is_a_place(machine: Machine) -> None:
    address = machine.kernel.image.symbol("vfs_read")
    define(machine, f"p:here {address:#x}")
    machine.tracefs.write("events/kprobes/here/enable", "1")
    machine.run("echo hello > /tmp/a; cat /tmp/a")
    assert trace(machine)[0].startswith("here: (vfs_read+0x0/")
    machine.tracefs.write("events/kprobes/here/enable", "0")
    machine.tracefs.write("kprobe_events", machine.tracefs.read("kprobe_events"))
    assert refused(machine, f"p:there {address:#x} a=$arg1") == errno.EINVAL  # it may be in the middle of a function


@pytest.mark.parametrize(
    ("command", "text", "position"),
    [
        ("p5 vfs_read", "Maxactive is not for kprobe", 1),
        ("r0 vfs_read", "Invalid maxactive number", 1),
        ("r4097 vfs_read", "Maxactive is too big", 1),
        ("p vfs_read%ret", "Invalid probed address suffix", 10),
        ("p vfs_read+x", "Invalid probed address or symbol", 2),
        ("p vfs_read-4", "Invalid probed address or symbol", 2),
        ("r vfs_read+4", "Retprobe address must be an function entry", 2),
        ("p:x  nosuch", "Invalid probed address or symbol", 4),
        ("p m_start", "The symbol is not unique", 2),
        ("p 0x10", "Failed to register probe event", 2),
    ],
)
def test_places_that_cannot_be_probed(machine: Machine, command: str, text: str, position: int) -> None:
    refused(machine, command)
    report = machine.tracefs.read("error_log").splitlines()
    assert report[0].endswith(f"trace_kprobe: error: {text}")
    assert report[2].index("^") == len("  Command: ") + position


def test_a_module_s_function_is_probed_when_the_module_comes(machine: Machine, arch: str) -> None:
    define(machine, "p:beat sample_timer:sample_beat timer=$arg1")
    machine.tracefs.write("events/kprobes/beat/enable", "1")
    machine.run("insmod /lib/modules/sample_timer.ko; usleep 50000; rmmod sample_timer")
    first = len(trace(machine))
    assert first > 0
    assert machine.tracefs.read("kprobe_events") == "p:kprobes/beat sample_timer:sample_beat timer=$arg1\n"
    machine.run("insmod /lib/modules/sample_timer.ko; usleep 50000; rmmod sample_timer")
    hits = int(machine.tracefs.read("kprobe_profile").split()[1])
    assert hits > first


def with_copy(machine: Machine, function: str) -> int:
    """An instruction of a function that is executed out of line when it is probed."""
    places, probing = machine.ftrace.kprobes.places, machine.ftrace.arch.probing()
    begin = machine.kernel.image.symbol(function)
    for address in range(begin + 8, begin + 200):
        with suppress(TraceError):
            if (instruction := places.find(address)[1]) and probing.copy(instruction, address, None):
                return address
    raise LookupError(function)


def test_an_event_that_gets_no_place_stays_off_and_the_others_happen(machine: Machine) -> None:
    first, second = (with_copy(machine, name) for name in ("vfs_read", "vfs_write"))
    define(machine, f"p:first {first:#x}", f"p:second {second:#x}")
    leave_places(machine, 1)
    with pytest.raises(TraceError, match="all places for trampolines are in use"):
        machine.tracefs.write("events/kprobes/enable", "1")
    assert [machine.tracefs.read(f"events/kprobes/{name}/enable") for name in ("first", "second")] == ["1\n", "0\n"]
    machine.run("cat /proc/version")
    assert any(line.startswith("first: ") for line in trace(machine))
    with pytest.raises(TraceError, match="all places for trampolines are in use"):
        machine.tracefs.write("events/kprobes/second/trigger", "enable_event:sched:sched_switch")
    assert machine.tracefs.read("events/sched/sched_switch/enable") == "0\n"
    assert machine.tracefs.read("events/kprobes/second/trigger").startswith("#")


def test_kprobes_list_shows_those_that_are_disabled(machine: Machine) -> None:
    """Those of a module only while it is loaded."""

    def listed() -> list[str]:
        """The list without addresses."""
        lines = machine.run("cat /sys/kernel/debug/kprobes/list").output.decode().splitlines()
        return sorted(line.split("  ", 1)[1] for line in lines)

    define(machine, "p:one ksys_read", "r:two ksys_read", "p:later sample_bug:sample_bug_max")
    disabled = [f"{kind}  ksys_read+0x0    [DISABLED][FTRACE]" for kind in "kr"]
    assert listed() == disabled
    machine.tracefs.write("events/kprobes/two/enable", "1")
    assert listed() == [disabled[0], "r  ksys_read+0x0    [FTRACE]"]
    machine.tracefs.write("events/kprobes/two/enable", "0")
    machine.run("insmod /lib/modules/sample_bug.ko")
    assert listed() == [disabled[0], "k  sample_bug_max+0x0  sample_bug [DISABLED][FTRACE]", disabled[1]]
    machine.run("rmmod sample_bug")
    machine.tracefs.append("kprobe_events", "-:one")
    assert listed() == disabled[1:]


def test_a_checkpoint_has_the_probes(machine: Machine) -> None:
    define(machine, "p:opened do_sys_openat2 file=+0($arg2):ustring")
    machine.tracefs.write("events/kprobes/enable", "1")
    checkpoint = machine.checkpoint()
    machine.run("echo hello > /tmp/a; cat /tmp/a")
    expected = machine.tracefs.read("trace")
    machine.tracefs.write("events/kprobes/enable", "0")
    machine.tracefs.write("kprobe_events", "")
    machine.restore(checkpoint)
    machine.run("echo hello > /tmp/a; cat /tmp/a")
    assert machine.tracefs.read("trace") == expected and "opened: (" in expected


def test_with_the_option_raw_only_the_event_s_number_is_shown(machine: Machine) -> None:
    define(machine, "p:k vfs_open")
    machine.tracefs.write("events/kprobes/k/enable", "1")
    machine.run("true", trace=True)
    machine.tracefs.write("options/raw", "1")
    text, golden = machine.tracefs.read("trace"), read_golden("kprobe-trace-raw.txt")
    assert f"type: {machine.tracefs.read('events/kprobes/k/id')}" in text

    def shapes(text: str) -> set[str]:
        return {re.sub(r"\d+", "N", line) for line in text.splitlines()}

    assert shapes(text) == shapes(golden)
