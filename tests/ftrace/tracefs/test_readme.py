# SPDX-License-Identifier: GPL-2.0-only
"""README has the lines from which programs derive the kernel's features, and the machine has each feature."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from emu.cpu.snapshot import Checkpoint
from emu.ftrace.errors import TraceError
from emu.machine import Machine, Share
from tests.lib.arches import FACTS
from tests.lib.golden import read_golden
from tests.lib.probed_program import ProbedProgram

GRAMMAR = read_golden("README-grammar.txt").splitlines()
LOAD = "insmod /lib/modules/sample_timer.ko period=2"
ARCHITECTURES = list(FACTS)  # a line is tested on one of them
WRITES = "echo 1234567 > /dev/null"  # vfs_write() writes 8 bytes: its third argument, and its result
ENTRIES = {"x86_64": 0xE8, "sparc64": 0xE8, "riscv64": 0x120}  # in /bin/ls: its first instruction, behind the headers
SWITCH, WAKING = "events/sched/sched_switch", "events/sched/sched_waking"
# Of a function's first three arguments.
REGISTERS = {"x86_64": ("%di", "%si", "%dx"), "sparc64": ("%o0", "%o1", "%o2"), "riscv64": ("%a0", "%a1", "%a2")}
PROGRAM = """
#include <stdio.h>
volatile unsigned short counter = 100;
__attribute__((noinline, noclone)) int twice(int n) { asm volatile("" : : : "memory"); return 2 * n; }
int main(int argc, char **argv) { int n = twice(21); printf("%d %d\\n", counter, n); return 0; }
"""


class Shown:
    """A machine that demonstrates a line. `folder`: is /p in the guest."""

    def __init__(self, machine: Machine, folder: Path) -> None:
        self.machine = machine
        self.folder = folder
        self.tracefs = machine.tracefs
        self.read, self.write, self.append = self.tracefs.read, self.tracefs.write, self.tracefs.append
        self.arch = machine.board.arch.name
        self.first, self.second, self.third = REGISTERS[self.arch]

    def run(self, command: str) -> str:
        done = self.machine.run(command)
        assert done.status == 0, done
        return done.output.decode()

    @property
    def groups(self) -> list[str]:
        """The systems of the defined events."""
        names = [line.split()[0].partition(":")[2] for line in self.read("dynamic_events").splitlines()]
        return sorted({name.partition("/")[0] for name in names})

    def entries(self, *definitions: str, command: str = WRITES) -> list[str]:
        """The texts of the events that the definitions create, while a command runs."""
        for line in definitions:
            self.append("dynamic_events", line)
        with self.recording(*self.groups):
            self.run(command)
        lines = [line.split(": ", 1)[1] for line in self.read("trace").splitlines() if not line.startswith("#")]
        self.write("dynamic_events", "")
        self.write("trace", "")
        return lines

    @contextmanager
    def recording(self, *systems: str) -> Iterator[None]:
        for system in systems:
            self.write(f"events/{system}/enable", "1")
        yield
        for system in systems:
            self.write(f"events/{system}/enable", "0")

    def fetched(self, arguments: str, place: str = "p:e vfs_write") -> list[str]:
        """The texts of an event behind its place."""
        return [line.partition(") ")[2] for line in self.entries(f"{place} {arguments}")]

    def table(self, event: str, trigger: str, command: str = "sleep 0.002") -> str:
        """The table of a hist trigger."""
        self.write(f"{event}/trigger", trigger)
        self.run(command)
        return self.read(f"{event}/hist")


def shows(line: str) -> Callable[[Callable[[Shown], None]], Callable[[Shown], None]]:
    """Marks a function that demonstrates a line of README."""

    def register(demonstration: Callable[[Shown], None]) -> Callable[[Shown], None]:
        assert line not in DEMONSTRATIONS, line
        DEMONSTRATIONS[line] = demonstration
        return demonstration

    return register


DEMONSTRATIONS: dict[str, Callable[[Shown], None]] = {}


@pytest.fixture(scope="module")
def booted(arch: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Shown, Checkpoint]]:
    folder = tmp_path_factory.mktemp("p")
    with Machine(arch, cpus=2, shares=[Share(folder, "/p")]) as machine:
        yield Shown(machine, folder), machine.checkpoint()


@pytest.fixture
def shown(booted: tuple[Shown, Checkpoint]) -> Iterator[Shown]:
    machine, after_boot = booted
    yield machine
    machine.machine.restore(after_boot)


@pytest.mark.parametrize("arch", ARCHITECTURES[:1], scope="module")
def test_readme_has_each_line(shown: Shown) -> None:
    """Each is a line of its own, except for two that are parts of several."""
    lines = [line.strip() for line in shown.read("README").splitlines()]
    for line in GRAMMAR:
        assert line.strip() in lines or line in ("[<group>/][<event>]", "<symbol>[+<offset>]%return"), line
        assert line in shown.read("README")
    fetcharg = next(n for n, line in enumerate(lines) if line.startswith("fetcharg:"))
    arguments = GRAMMAR[GRAMMAR.index(lines[fetcharg]) : GRAMMAR.index("stype: u8/u16/u32/u64, s8/s16/s32/s64, pid_t,")]
    assert lines[fetcharg : fetcharg + len(arguments)] == [line.strip() for line in arguments]
    assert len(arguments) <= 10


def test_each_line_has_a_demonstration() -> None:
    assert set(DEMONSTRATIONS) == set(GRAMMAR)


@pytest.mark.parametrize(("arch", "line"), [(ARCHITECTURES[n % 2], line) for n, line in enumerate(GRAMMAR)], scope="module")
def test_the_machine_does_what_a_line_says(shown: Shown, line: str) -> None:
    DEMONSTRATIONS[line](shown)


# Definitions


@shows("[<group>/][<event>]")
def names(shown: Shown) -> None:
    shown.write("dynamic_events", "p:mine/opens vfs_open\np:opens vfs_open\np vfs_open\np:mine/ vfs_open\nr vfs_open")
    named = [line.split()[0] for line in shown.read("dynamic_events").splitlines()]
    assert [name.partition(":")[2] for name in named] == [
        "mine/opens", "kprobes/opens", "kprobes/p_vfs_open_0", "mine/p_vfs_open_0", "kprobes/r_vfs_open_0",
    ]  # fmt: skip


@shows("p[:[<group>/][<event>]] <place> [<args>]")
def probes(shown: Shown) -> None:
    found = shown.entries("p:mine/writes vfs_write count=$arg3:u64", "p vfs_write")
    assert any(re.match(r"writes: \(vfs_write\+0x0/0x[0-9a-f]+\) count=8$", line) for line in found)
    assert any(re.match(r"p_vfs_write_0: \(vfs_write\+0x0/0x[0-9a-f]+\)$", line) for line in found)


@shows("r[maxactive][:[<group>/][<event>]] <place> [<args>]")
def returns(shown: Shown) -> None:
    found = shown.entries("r20:back vfs_write wrote=$retval:s64", "r:mine/other vfs_write")
    assert any(re.match(r"back: \(\w+\+0x[0-9a-f]+/0x[0-9a-f]+ <- vfs_write\) wrote=8$", line) for line in found)
    assert any(line.startswith("other: (") for line in found)
    shown.write("kprobe_events", "r1:one vfs_read\nr20:twenty vfs_read")
    with shown.recording("kprobes"):
        shown.run("sleep 0.01 | cat & sleep 0.01 | cat; wait")  # two wait in vfs_read()
    missed = {name: int(count) for name, _, count in map(str.split, shown.read("kprobe_profile").splitlines())}
    assert missed["one"] > 0 and missed["twenty"] == 0


@shows("s:[synthetic/]<event> <field> [<field>]")
def synthetic(shown: Shown) -> None:
    shown.write("dynamic_events", "s:lat u64 ns\ns:synthetic/late u64 ns; pid_t pid")
    assert shown.read("dynamic_events") == "s:synthetic/lat\tu64 ns\ns:synthetic/late\tu64 ns; pid_t pid\n"
    assert {"lat", "late"} <= set(shown.tracefs.listdir("events/synthetic"))


@shows("e[:[<group>/][<event>]] <attached-group>.<attached-event> [<args>] [if <filter>]")
def attached(shown: Shown) -> None:
    probed = "syscalls.sys_enter_write"
    found = shown.entries(f"e:eight {probed} n=$count:u64 if count == 8", f"e:mine/all {probed}", f"e {probed}")
    assert {line for line in found if line.startswith("eight")} == {f"eight: ({probed}) n=8"}
    assert found.count(f"all: ({probed})") == found.count(f"sys_enter_write: ({probed})") > 1


@shows("-:[<group>/][<event>]")
def removals(shown: Shown) -> None:
    shown.write("dynamic_events", "p:a/x vfs_read\np:a/y vfs_read\np:b/x vfs_read\np:b/z vfs_read\ns:z u64 f")
    for command, left in [
        ("-:a/x", ["a/y", "b/x", "b/z", "synthetic/z"]),
        ("-:z", ["a/y", "b/x"]),
        ("-:b/", ["a/y"]),
        ("-:y", []),
    ]:
        shown.append("dynamic_events", command)
        lines = shown.read("dynamic_events").splitlines()
        assert [line.split()[0].partition(":")[2] for line in lines] == left


# Places


def boundary(shown: Shown) -> int:
    """The offset of an instruction of vfs_write behind its call site."""
    return 5 if shown.arch == "x86_64" else 16


@shows("place: [<module>:]<symbol>[+<offset>]|<memaddr>")
def places(shown: Shown) -> None:
    shown.run(LOAD)
    address, offset = shown.machine.site("vfs_open").address & ~0x1F, boundary(shown)
    found = shown.entries(
        "p:beat sample_timer:sample_beat", f"p:inside vfs_write+{offset}", f"p:at {address:#x}",
        command=f"usleep 6000; {WRITES}",
    )  # fmt: skip
    texts = {line.split("/")[0] for line in found}
    assert texts == {"beat: (sample_beat+0x0", f"inside: (vfs_write+{offset:#x}", "at: (vfs_open+0x0"}


@shows("place (kretprobe): [<module>:]<symbol>[+<offset>]%return|<memaddr>")
def places_of_returns(shown: Shown) -> None:
    shown.run(LOAD)
    address = shown.machine.site("vfs_open").address & ~0x1F
    found = shown.entries(
        "p:beat sample_timer:sample_beat%return", "r:write vfs_write+0%return", f"r:open {address:#x}",
        command=f"usleep 6000; {WRITES}",
    )  # fmt: skip
    texts = {re.sub(r"\(.* <- (\w+).*", r"\1", line) for line in found}
    assert texts == {"beat: sample_beat", "write: vfs_write", "open: vfs_open"}


@shows("<symbol>[+<offset>]%return")
def place_of_a_return(shown: Shown) -> None:
    found = shown.entries("p:plain vfs_write%return wrote=$retval:s64", "p:far vfs_write+0x0%return wrote=$retval:s64")
    for name in ("plain", "far"):
        assert any(re.match(rf"{name}: \(\S+ <- vfs_write\) wrote=8$", line) for line in found)
    with pytest.raises(TraceError):
        shown.append("dynamic_events", f"p:inside vfs_write+{boundary(shown)}%return")


@shows("place (uprobe): <path>:<offset>[%return][(ref_ctr_offset)]")
def places_in_programs(shown: Shown) -> None:
    """While a place is probed, the program's reference counter is raised, as for static probes of SystemTap and perf."""
    program = ProbedProgram(shown.arch, PROGRAM, shown.folder)
    place = f"/p/program:{program.offset('twice'):#x}"
    counter = f"({program.offset('counter'):#x})"
    found = shown.entries(f"p:calls {place}", f"p:returns {place}%return got=$retval:s32", command="/p/program")
    assert [re.sub(r"\(0x.*\)", "()", line) for line in found] == ["calls: ()", "returns: () got=42"]
    shown.write("dynamic_events", f"p:calls {place}{counter}\np:returns {place}%return{counter}")
    assert shown.run("/p/program") == "100 42\n"
    with shown.recording("uprobes"):
        assert shown.run("/p/program") == "101 42\n"
    assert shown.run("/p/program") == "100 42\n"


# Arguments


@shows("args: <name>=fetcharg[:type]")
def arguments(shown: Shown) -> None:
    assert "count=0x8 typed=8" in shown.fetched("count=$arg3 typed=$arg3:u8")


@shows("fetcharg: (%<register>|$<efield>), @<address>, @<symbol>[+|-<offset>],")
def fetches(shown: Shown) -> None:
    address = shown.machine.kernel.image.symbol
    names, banner = address("softirq_to_name"), address("linux_banner")  # an array of char *, and what is behind it
    places = [f"@{names:#x}", "@softirq_to_name", "@softirq_to_name+8", f"@linux_banner-{banner - names}"]
    texts = " ".join(f"+0({place}):string" for place in places)
    found = shown.fetched(f"count={shown.third}:u64 {texts}")
    assert 'count=8 arg2="HI" arg3="HI" arg4="TIMER" arg5="HI"' in found
    assert "count=8" in shown.fetched("count=$count:u64", "e:e syscalls.sys_enter_write")


@shows("$stack<index>, $stack, $retval, $comm,")
def stack_and_others(shown: Shown) -> None:
    bias = 2047 if shown.arch == "sparc64" else 0
    for line in shown.fetched(f"$stack0 +{bias}($stack) $stack1 +{bias + 8}($stack) $comm"):
        assert re.match(r'arg1=(\w+) arg2=\1 arg3=(\w+) arg4=\2 arg5="(sh|init)"$', line)
    assert "wrote=0x8" in shown.fetched("wrote=$retval", "r:e vfs_write")


@shows("$arg<N>")
def function_arguments(shown: Shown) -> None:
    names = f"one=$arg1 own={shown.first} two=$arg2 own2={shown.second} three=$arg3 own3={shown.third}"
    found = [re.findall(r"=(\w+)", line) for line in shown.fetched(names)]
    assert found and all(values[0::2] == values[1::2] for values in found)
    assert any(values[4] == "0x8" for values in found)


@shows(r'+|-[u]<offset>(<fetcharg>), \imm-value, \"imm-string"')
def memory_and_immediates(shown: Shown) -> None:
    names = shown.machine.kernel.image.symbol("softirq_to_name")
    memory = rf"+8(\{names}):x64 -8(\{names + 16}):x64 +0(+8(\{names})):string +0(-8(\{names + 16})):string"
    (line,) = set(shown.fetched(rf'{memory} none=\7:u8 minus=\-1:s8 text=\"name"'))
    assert re.match(r'arg1=(0x\w+) arg2=\1 arg3="TIMER" arg4="TIMER" none=7 minus=-1 text="name"$', line)
    probe = "e:path syscalls.sys_enter_openat name=+u0($filename):string second=+u1($filename):u8 first=-u0($filename):u8"
    assert f'path: (syscalls.sys_enter_openat) name="/dev/null" second={ord("d")} first={ord("/")}' in shown.entries(probe)


@shows("type: s8/16/32/64, u8/16/32/64, x8/16/32/64, string, symbol,")
def types(shown: Shown) -> None:
    value = -2 % (1 << 64)
    for bits in (8, 16, 32, 64):
        low = value % (1 << bits)
        assert set(shown.fetched(rf"s=\-2:s{bits} u=\-2:u{bits} x=\-2:x{bits}")) == {f"s=-2 u={low} x={low:#x}"}
    assert set(shown.fetched("+0(@softirq_to_name):string")) == {'arg1="HI"'}
    address = shown.machine.kernel.image.symbol("vfs_open")
    assert all(line.startswith("to=vfs_open+0x0/") for line in shown.fetched(rf"to=\{address}:symbol"))


@shows("b<bit-width>@<bit-offset>/<container-size>, ustring,")
def bits_and_user_strings(shown: Shown) -> None:
    assert set(shown.fetched(r"low=\0x1234:b4@0/16 middle=\0x1234:b8@4/16 high=\0x1234:b4@12/32")) == {
        "low=4 middle=35 high=1"
    }
    lines = shown.entries("e:path syscalls.sys_enter_openat name=+0($filename):ustring")
    assert 'path: (syscalls.sys_enter_openat) name="/dev/null"' in lines


@shows(r" <type>\[<array-size>\]")
def arrays(shown: Shown) -> None:
    expected = "{" + ",".join(str(byte) for byte in b"Linux") + "}"
    assert set(shown.fetched("bytes=@linux_banner:u8[5]")) == {f"bytes={expected}"}


@shows("stype: u8/u16/u32/u64, s8/s16/s32/s64, pid_t,")
def types_of_synthetic_events(shown: Shown) -> None:
    kinds = [f"{sign}{bits}" for sign in "us" for bits in (8, 16, 32, 64)] + ["pid_t"]
    shown.write("synthetic_events", "all " + "; ".join(f"{kind} f_{kind}" for kind in kinds))
    text = shown.read("events/synthetic/all/format")
    sizes = {kind: int(size) for kind, size in re.findall(r"field:(\w+) f_\w+;\toffset:\d+;\tsize:(\d+);", text)}
    assert sizes == {kind: 4 if kind == "pid_t" else int(kind[1:]) // 8 for kind in kinds}


# Files


def managed(shown: Shown, file: str, first: str, second: str, remove: str, shown_as: Sequence[str]) -> None:
    """Creates, appends, removes and shows: `>`, `>>`, a command, and reading."""
    shown.write(file, first)
    shown.append(file, second)
    assert shown.read(file).splitlines() == list(shown_as)
    shown.append(file, remove)
    assert shown.read(file).splitlines() == [shown_as[1]]
    shown.write(file, first)
    assert shown.read(file).splitlines() == [shown_as[0]]
    shown.write(file, "")
    assert shown.read(file) == ""


@shows("Create/append/remove/show the generic dynamic events")
def generic(shown: Shown) -> None:
    lines = "p:kprobes/a vfs_read", "s:synthetic/b\tu64 f"
    managed(shown, "dynamic_events", "p:a vfs_read", "s:b u64 f", "-:a", lines)


@shows("Create/append/remove/show the kernel dynamic events")
def of_the_kernel(shown: Shown) -> None:
    managed(shown, "kprobe_events", "p:a vfs_read", "p:b vfs_read", "-:a", ["p:kprobes/a vfs_read", "p:kprobes/b vfs_read"])


@shows("Create/append/remove/show the userspace dynamic events")
def of_programs(shown: Shown) -> None:
    entry = ENTRIES[shown.arch]
    lines = [f"p:uprobes/{name} /bin/ls:{entry:#018x}" for name in "ab"]
    managed(shown, "uprobe_events", f"p:a /bin/ls:{entry}", f"p:b /bin/ls:{entry:#x}", "-:uprobes/a", lines)
    assert [line.split(":")[0] for line in shown.entries(f"p:a /bin/ls:{entry}", command="ls /")] == ["a"]


@shows("Create/append/remove/show synthetic events")
def of_hists(shown: Shown) -> None:
    managed(shown, "synthetic_events", "a u64 f", "b u64 f", "!a", ["a\tu64 f", "b\tu64 f"])


@shows("echo 'myevent u64 lat; char name[]' >> synthetic_events")
def example(shown: Shown) -> None:
    shown.run("cd /sys/kernel/tracing; " + "echo 'myevent u64 lat; char name[]' >> synthetic_events")
    assert shown.read("synthetic_events") == "myevent\tu64 lat; char[] name\n"
    assert "field:__data_loc char[] name;" in shown.read("events/synthetic/myevent/format")


@shows("accepts: func_full_name or glob-matching-pattern")
def filters(shown: Shown) -> None:
    for file in ("set_ftrace_filter", "set_ftrace_notrace", "set_graph_function", "set_graph_notrace"):
        shown.write(file, "vfs_read")
        assert shown.read(file) == "vfs_read\n"
        shown.write(file, "vfs_[rw]*e*")
        names = shown.read(file).split()
        assert {"vfs_read", "vfs_write"} <= set(names)
        assert all(re.match("vfs_[rw].*e", name) for name in names)


# Histograms


def rows(table: str) -> list[dict[str, str]]:
    return [dict(re.findall(r"(\w+): +([^\s,]+)", line)) for line in table.splitlines() if line.startswith("{")]


@shows("hist:keys=<field1[,field2,...]>")
def keys(shown: Shown) -> None:
    found = rows(shown.table(SWITCH, "hist:keys=prev_pid,next_pid"))
    assert len(found) > 1 and all(row.keys() == {"prev_pid", "next_pid", "hitcount"} for row in found)


@shows("[:<var1>=<field|var_ref|numeric_literal>[,<var2>=...]]")
def variables(shown: Shown) -> None:
    shown.write(f"{WAKING}/trigger", "hist:keys=pid:at=prio,seven=7")
    found = rows(shown.table(SWITCH, "hist:keys=next_pid:was=$at,number=$seven:vals=next_prio:onmax($number).save(next_comm)"))
    assert found
    assert re.search(r"max: +7 +next_comm: ", shown.read(f"{SWITCH}/hist"))


@shows("[:values=<field1[,field2,...]>]")
def values(shown: Shown) -> None:
    found = rows(shown.table(SWITCH, "hist:keys=next_pid:values=next_prio,prev_prio"))
    assert found and all(row.keys() == {"next_pid", "hitcount", "next_prio", "prev_prio"} for row in found)


@shows("[:sort=<field1[,field2,...]>]")
def sorting(shown: Shown) -> None:
    found = rows(shown.table(SWITCH, "hist:keys=next_pid,prev_pid:sort=next_pid.descending,prev_pid"))
    order = [(-int(row["next_pid"]), int(row["prev_pid"])) for row in found]
    assert len(order) > 1 and order == sorted(order)


@shows("onmatch(matching.event)")
def on_match(shown: Shown) -> None:
    shown.write("synthetic_events", "lat u64 ns; pid_t pid")
    shown.write(f"{WAKING}/trigger", "hist:keys=pid:t0=common_timestamp")
    action = "onmatch(sched.sched_waking).lat($ns,next_pid)"
    with shown.recording("synthetic"):
        shown.table(SWITCH, f"hist:keys=next_pid:ns=common_timestamp-$t0:{action}")
    assert re.search(r"lat: ns=\d+ pid=\d+", shown.read("trace"))


@shows("onmax(var)")
def on_max(shown: Shown) -> None:
    text = shown.table(SWITCH, "hist:keys=common_cpu:p=next_prio:onmax($p).save(next_comm)")
    assert re.search(r"max: +120\n?.*next_comm: ", text)


@shows("onchange(var)")
def on_change(shown: Shown) -> None:
    text = shown.table(SWITCH, "hist:keys=common_cpu:p=next_pid:onchange($p).save(next_comm)")
    assert re.search(r"changed: +\d+.*next_comm: ", text)


@shows("trace(<synthetic_event>,param list)")
def traces(shown: Shown) -> None:
    shown.write("synthetic_events", "next pid_t pid; int prio")
    with shown.recording("synthetic"):
        shown.table(SWITCH, "hist:keys=next_pid:p=next_pid:onchange($p).trace(next,$p,next_prio)")
    assert re.search(r"next: pid=\d+ prio=\d+", shown.read("trace"))


@shows("save(field,...)")
def saves(shown: Shown) -> None:
    text = shown.table(SWITCH, "hist:keys=common_cpu:p=next_pid:onmax($p).save(next_comm,next_prio)")
    assert re.search(r"next_comm: \S+ +next_prio: +\d+", text)


@shows("snapshot()")
def snapshots(shown: Shown) -> None:
    assert "* Snapshot is " in shown.read("snapshot")
    with shown.recording("sched"):
        shown.table(SWITCH, "hist:keys=common_cpu:p=next_pid:onmax($p).snapshot()")
    assert "sched_switch: " in shown.read("snapshot")
