# SPDX-License-Identifier: GPL-2.0-only
"""Probes of a Linux guest from outside: places, registers, memory, returns, names of the kernel's source, and what is refused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.ftrace.buffers import entries
from emu.ftrace.buffers.entries import EventType
from emu.ftrace.errors import TraceError
from emu.ftrace.probes.host_probes import Hit
from emu.linux.machine import LinuxMachine
from tests.lib.inside_trace import columns, outside
from tests.lib.linux_kernel import insert
from tests.linux.tracing.conftest import forget_events

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

EVENT = re.compile(r"^ *(?P<comm>.{1,16})-(?P<pid>\d+) .*?: (?P<name>\w+): \((?P<place>[^)]*)\)(?P<rest>.*)$")
MODULE = "watchdog"  # has events
READ = "head -c 2000 /bin/busybox > /tmp/file; dd if=/tmp/file of=/dev/null bs=832"


@pytest.fixture
def probed(traced: LinuxMachine) -> Iterator[LinuxMachine]:
    """A machine after its boot. All events that a test defines are removed afterwards."""
    yield traced
    forget_events(traced.tracefs)


def traced_run(machine: LinuxMachine, definitions: str, command: str, comm: str = "") -> list[re.Match[str]]:
    """Defines events, enables them all, runs a command, and returns the events (of tasks with a name)."""
    fs = machine.tracefs
    fs.write("dynamic_events", definitions)
    for system in dict.fromkeys(line.split(":")[1].split("/")[0] for line in fs.read("dynamic_events").splitlines()):
        fs.write(f"events/{system}/enable", "1")
    assert machine.run(command, trace=True, follow=True).status == 0
    return [match for match in events_of(fs.read("trace")) if not comm or match["comm"].strip() == comm]


def events_of(text: str) -> list[re.Match[str]]:
    """The lines of a trace that are of defined events."""
    return [match for line in text.splitlines() if (match := EVENT.match(line))]


def shown(events: list[re.Match[str]]) -> list[str]:
    return [f"{event['name']}: ({event['place']}){event['rest']}" for event in events]


def test_names_of_the_kernels_source(probed: LinuxMachine) -> None:
    """dd reads 2,000 bytes in pieces of 832: what it asks for, what it gets, and of which file."""
    events = traced_run(
        probed,
        "p:rd vfs_read name=file->f_path.dentry->d_name.name:string count mode=file->f_inode->i_mode\n"
        "r:rt vfs_read $retval count\nf vfs_read $arg*\nf vfs_read%return got=$retval pos\n",
        READ,
        "dd",
    )
    of_file = [re.sub(r"0x[0-9a-f]+", "X", line) for line in shown(events)]
    place = r"vfs_read\+X/X"
    texts = "\n".join(of_file)
    for got in (832, 832, 336, 0):
        assert re.search(rf"^vfs_read__entry: \({place}\) file=X buf=X count=832 pos=X\n"
                         rf"rd: \({place}\) name=\"file\" count=832 mode=33188\n"
                         rf"rt: \(ksys_read\+X/X <- vfs_read\) arg1={got} count=832\n"
                         rf"vfs_read__exit: \(ksys_read\+X/X <- vfs_read\) got={got} pos=X$", texts, re.MULTILINE)  # fmt: skip


def test_definitions_are_shown_as_linux_shows_them(probed: LinuxMachine) -> None:
    fs = probed.tracefs
    fs.write("dynamic_events", "f vfs_read $arg*\nf:e vfs_read%return $retval\nt sched_switch prev->pid\np vfs_read $arg3:u8\n")
    assert fs.read("dynamic_events") == (
        "f:fprobes/vfs_read__entry vfs_read file=file buf=buf count=count pos=pos\nf:fprobes/e vfs_read%return arg1=$retval\n"
        "t:tracepoints/sched_switch sched_switch pid=prev->pid\np:kprobes/p_vfs_read_0 vfs_read count=count:u8\n"
    )
    assert fs.read("kprobe_events") == "p:kprobes/p_vfs_read_0 vfs_read count=count:u8\n"
    text = fs.read("events/fprobes/vfs_read__entry/format")
    assert "\tfield:u64 count;\toffset:32;\tsize:8;\tsigned:0;\n" in text
    assert 'print fmt: "(%lx) file=0x%Lx buf=0x%Lx count=%Lu pos=0x%Lx", REC->__probe_ip, REC->file' in text


def test_tracepoints_have_the_arguments_that_the_event_shows(probed: LinuxMachine) -> None:
    fs = probed.tracefs
    fs.write("events/sched/sched_switch/enable", "1")
    fs.write("dynamic_events", "t:sw sched_switch a=prev->pid b=next->pid c=next->comm:string\n")
    fs.write("events/tracepoints/enable", "1")
    probed.run("(sleep 0.01; uname) | cat", trace=True)
    events = events_of(fs.read("trace"))
    ours = [re.sub(r'.* a=(\d+) b=(\d+) c="(.*)"', r"\1 \2 \3", line) for line in shown(events)]
    theirs = [
        re.sub(r".*prev_pid=(\d+) .*next_comm=(.*) next_pid=(\d+) .*", r"\1 \3 \2", line)
        for line in fs.read("trace").splitlines()
        if "==>" in line
    ]
    assert ours == theirs and len(ours) > 5


def test_returns_are_those_that_function_graph_sees(probed: LinuxMachine) -> None:
    """In one run and in the same one again: of functions that sleep, that end with a jump, and of those of tasks that end."""
    fs, functions = probed.tracefs, "vfs_read schedule do_exit do_wait path_openat dput fput mutex_lock vfs_write kmem_cache_free"
    command = "(sleep 0.01; ls -lR /sys/kernel/mm | wc -l; sh -c 'kill -9 $$') 2>&1; true"
    start = probed.checkpoint()
    fs.write("set_ftrace_filter", functions)
    fs.write("current_tracer", "function_graph")
    probed.run(command, trace=True)
    names = probed._tracing.kernel.symbols
    graph = Counter(
        (time, pid, names.name_of(function))
        for log in outside(probed)
        for time, kind, pid, function in columns(log, entries.FUNCGRAPH_ENTRY, "type", "pid", "func")
        if kind == EventType.FUNCGRAPH_EXIT
    )
    fs.write("current_tracer", "nop")
    probed.restore(start)
    fs.write("kprobe_events", "".join(f"r:{name} {name}\n" for name in functions.split()))
    fs.write("events/kprobes/enable", "1")
    probed.run(command, trace=True)
    numbers = {probed.trace_array.globals.events.named("kprobes")[name].number: name for name in functions.split()}
    probes = Counter(
        (time, pid, numbers[kind])
        for log in outside(probed)
        for time, kind, pid in columns(log, entries.FUNCGRAPH_ENTRY, "type", "pid")
        if kind in numbers
    )
    assert graph - probes == Counter()
    assert len(probes - graph) < 10  # calls that were under way when recording began
    seen = Counter(name for _, _, name in probes.elements())
    assert seen["do_exit"] == 0 and all(seen[name] > 3 for name in functions.split() if name != "do_exit")


def test_members_of_all_kinds(probed: LinuxMachine) -> None:
    """Bit fields, arrays, an index, structures without names, and what the host reads at the same places."""
    btf, memory = probed._tracing.btf, probed._tracing.kernel.memory
    hits: list[Hit] = []
    arguments = (
        "p bit=p->sched_contributes_to_load more=p->sched_migrated comm=p->comm:string bytes=p->comm:x8[16] prio=p->prio "
        "limit=p->signal->rlim[7].rlim_cur flags=p->thread_info.flags next=p->tasks.next->next state=p->__state mm=p->mm"
    )
    with probed.probe("try_to_wake_up", hits.append, args=arguments):
        probed.run("(sleep 0.01; uname) | cat")
    assert len(hits) > 5

    def member(task: int, path: str) -> int:
        return memory.word(task + btf.offset(f"task_struct.{path}"), btf.size(f"task_struct.{path}"))

    def bit(task: int, name: str) -> int:
        at = btf.bit_field(f"task_struct.{name}")
        return memory.word(task + at.offset // 8, 1) >> at.offset % 8 & (1 << at.size) - 1

    seen = {}
    with probed.probe("try_to_wake_up", lambda hit: seen.update({hit.registers["di"]: dict(hit.args)}), args=arguments):
        probed.run("(sleep 0.01; uname) | cat")
    task, found = next((task, args) for task, args in seen.items() if args["mm"])
    comm = bytes(found["bytes"])
    assert comm.split(b"\0")[0].decode() == found["comm"] == probed._tracing.kernel.tasks.comm(task)
    assert (found["p"], found["prio"], found["mm"]) == (task, member(task, "prio"), member(task, "mm"))
    assert found["limit"] in (1024, 4096) and found["next"] >> 48 == 0xFFFF
    assert (found["bit"], found["more"]) <= (1, 1) and bit(task, "sched_migrated") <= 1


def test_casts_where_no_parameter_has_a_name(probed: LinuxMachine) -> None:
    """In the midst of a function, and the task that has a node in a list."""
    names: list[object] = []
    place = next(offset for offset in range(8, 40) if not _refuses(probed, f"vfs_read+{offset}"))
    arguments = "(file)%di->f_path.dentry->d_name.name:string"
    with probed.probe(f"vfs_read+{place}", lambda hit: names.append(hit.args["name"]), args=arguments):
        probed.run("head -c 5 /proc/uptime")
    assert "uptime" in names
    pids: list[object] = []
    arguments = "p->pid other=(task_struct,tasks)(p->tasks.next)->tasks.prev"
    with probed.probe("try_to_wake_up", lambda hit: pids.append((hit.args["other"], hit.registers["di"])), args=arguments):
        probed.run("uname | cat")
    tasks = probed._tracing.btf.offset("task_struct.tasks")
    assert pids and all(isinstance(other, int) and other == task + tasks for other, task in pids)


def _refuses(machine: LinuxMachine, place: str) -> bool:
    try:
        machine.probe(place, print).remove()
    except TraceError:
        return True
    return False


def test_each_instruction_of_a_function(probed: LinuxMachine) -> None:
    """All instructions that a call must come to are hit as often as it is called."""
    places = []
    for offset in range(60):
        try:
            probed.tracefs.append("kprobe_events", f"p:i{offset} vfs_read+{offset}\n")
            places.append(offset)
        except TraceError as error:
            assert error.logged is not None and error.logged.text == "Probe point is not an instruction boundary"
    assert 10 < len(places) < 40
    probed.tracefs.write("events/kprobes/enable", "1")
    probed.run(READ, trace=True)
    hits = {int(line.split()[0][1:]): int(line.split()[1]) for line in probed.tracefs.read("kprobe_profile").splitlines()}
    assert hits[places[0]] == hits[places[1]] == hits[places[5]] > 8


REFUSED = {
    "p vfs_read ^nosuch": "This variable is not found at this probe point",
    "p vfs_read ^$arg9": "This variable is not found at this probe point",
    "p vfs_read file->^nosuch": "This field is not found.",
    "p vfs_read file->f_path.^nosuch": "This field is not found.",
    "p vfs_read file^-f_path": "Failed to parse single hyphen. Forgot '>'?",
    "p vfs_read file.^f_path": "Non pointer structure/union argument is not supported.",
    "p vfs_read count->^x": "This is not a pointer to union/structure.",
    "p vfs_read pos->^x": "Failed to get BTF type info.",
    "p vfs_read ^file:string": "This type does not fit for string.",
    "p vfs_read $arg* ^$arg*": "$arg* can be used only once in the parameters",
    "p vfs_read ^x=$arg*": "$arg* must be an independent parameter without name etc.",
    "p vfs_read+0x20 ^$arg*": "$arg* can be used only on function entry or exit",
    "p vfs_read+0x20 ^count": "BTF is not available or not supported",
    "r vfs_read $retval->^x": "This is not a pointer to union/structure.",
    "r kfree ^$retval": "This function returns 'void' type",
    "p vfs_read ^$retval": "$retval is not available on probe",
    "p ^vfs_read+1": "Probe point is not an instruction boundary",
    "p ^nosuch": "Invalid probed address or symbol",
    "p ^jiffies": "Failed to register probe event",
    "r ^vfs_read+0x20": "Retprobe address must be an function entry",
    "f ^nosuch": "Failed to register probe event",
    "f ^vfs_read+4": "Invalid probed address or symbol",
    "f vfs_read ^%ax": "Invalid $-valiable specified",
    "t ^nosuch": "Tracepoint is not found",
    "t sched^-switch": "Invalid character in tracepoint name",
    "t sched_switch ^$stack1": "Invalid $-valiable specified",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused(probed: LinuxMachine, text: str) -> None:
    command = text.replace("^", "")
    with pytest.raises(TraceError) as refused:
        probed.tracefs.write("dynamic_events", command)
    assert refused.value.logged is not None
    assert (refused.value.logged.text, refused.value.logged.position) == (REFUSED[text], text.index("^"))
    assert probed.tracefs.read("dynamic_events") == ""


def test_a_probe_waits_for_its_module(probed: LinuxMachine, real_kernel: Path) -> None:
    fs = probed.tracefs
    fs.write("kprobe_events", "p:up dummy:dummy_setup size=%si\np:x dummy:dummy_xmit\n")
    fs.write("events/kprobes/up/enable", "1")
    fs.write("tracing_on", "1")
    insert(probed, real_kernel, "dummy")
    assert fs.read("trace").count(" up: (dummy_setup+") == 1
    probed.run("rmmod dummy")
    insert(probed, real_kernel, "dummy")
    assert fs.read("trace").count(" up: (dummy_setup+") == 2


def test_an_event_of_a_module_takes_with_it_what_is_defined_by_it(probed: LinuxMachine, real_kernel: Path) -> None:
    fs = probed.tracefs
    insert(probed, real_kernel, MODULE)
    event = next(name for name in fs.listdir(f"events/{MODULE}") if fs.exists(f"events/{MODULE}/{name}/format"))
    fs.write("dynamic_events", f"e:ep {MODULE}.{event} pid=$common_pid\ne:other sched.sched_switch p=$prev_pid\n")
    fs.write("events/eprobes/enable", "1")
    probed.run(f"rmmod {MODULE}")
    assert fs.read("dynamic_events") == "e:eprobes/other sched.sched_switch p=$prev_pid\n"
    assert not fs.exists("events/eprobes/ep")


def test_python_sees_arguments_and_cannot_change_registers(probed: LinuxMachine) -> None:
    hits: list[Hit] = []
    with probed.probe("vfs_read", hits.append, args="name=file->f_path.dentry->d_name.name:string count") as probe:
        assert probed.run("head -c 5 /proc/uptime").status == 0
    of_file = [hit for hit in hits if hit.args["name"] == "uptime"]
    assert probe.hits == len(hits) and [(hit.comm, hit.args["count"]) for hit in of_file] == [("head", 1024)]
    assert of_file[0].registers["dx"] == 1024

    def change(hit: Hit) -> None:
        hit.registers["dx"] = 1

    with pytest.raises(TypeError, match="only looks"), probed.probe("vfs_read", change):
        probed.run("head -c 5 /proc/uptime")
    with pytest.raises(NotImplementedError, match="nothing is written to a Linux guest"):
        probed.patch("vfs_read", asm="ret")


def test_histograms_synthetic_events_and_eprobes(probed: LinuxMachine) -> None:
    """The time between a call and its return, by the size that was asked for."""
    fs = probed.tracefs
    fs.write("synthetic_events", "took u64 ns; u64 size\n")
    fs.write("kprobe_events", "p:rd vfs_read count\nr:rt vfs_read $retval count\n")
    fs.append("dynamic_events", "e:big kprobes.rd size=$count:u32 if count > 500\n")
    fs.append("events/kprobes/rd/trigger", "hist:keys=common_pid:ts0=common_timestamp,c0=count")
    fs.append(
        "events/kprobes/rt/trigger",
        "hist:keys=common_pid:ns=common_timestamp-$ts0,c=$c0:onmatch(kprobes.rd).trace(took,$ns,$c)",
    )
    fs.append("events/synthetic/took/trigger", "hist:keys=size:vals=ns")
    fs.write("events/eprobes/big/enable", "1")
    probed.run(READ, trace=True)
    text = fs.read("events/synthetic/took/hist")
    assert re.search(r"\{ size: +832 \} hitcount: +4  ns: +[1-9]", text)
    assert len(re.findall(r"big: \(kprobes\.rd\) size=832$", fs.read("trace"), re.MULTILINE)) == 4
