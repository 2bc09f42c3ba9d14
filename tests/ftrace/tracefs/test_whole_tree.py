# SPDX-License-Identifier: GPL-2.0-only
"""The whole tree compared with that of a real Linux 6.1: names, modes, initial contents, accepted and refused writes.

Differences are in tables, with their reasons.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

import pytest

from emu.architectures import ARCHITECTURES
from emu.ftrace import arch as ftrace_arch
from emu.ftrace.errors import TraceError
from emu.ftrace.linux_events import LINUX_EVENTS
from emu.ftrace.tracefs import TraceFS
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.commands import shell
from tests.lib.golden import GOLDEN, read_golden
from tests.lib.golden_writes import golden_writes
from tests.lib.linux_events import available_events

# Features that the golden kernel was built without
ADDED = {
    "options/branch": "the branch tracer",
    "trace_stat/branch_annotated": "the branch tracer",
    "options/funcgraph-flat": "an option of other kernels, which a document has",
    "events/sample_timer": "a module's, which is loaded",
    "timing_model": "the machine's",
    "hardware_events": "a timing model's that counts",
    "events/hardware": "a timing model's that counts",
}
LATENCY = {"wakeup", "wakeup_rt", "wakeup_dl", "irqsoff", "preemptoff", "preemptirqsoff"}


# Names and modes


def golden_modes() -> dict[str, str]:
    """The mode of each file of the real kernel, by path."""
    modes = {}
    for line in read_golden("ls-2level-stat.txt").splitlines():
        mode, owner, size, path = line.split()
        assert (owner, size) == ("0:0", "0")
        modes[path.removeprefix("./")] = mode
    for part in read_golden("ls-eventdirs.txt").split("\n\n"):
        directory, _, lines = part.partition(":\n")
        for mode, name in re.findall(r"^(\S{10}) .* (\S+)$", lines, re.MULTILINE):
            if name not in {".", ".."}:
                modes[f"{directory}/{name}"] = mode
    return modes


def modes(machine: Machine, directories: set[str]) -> dict[str, str]:
    """The mode of each file in these directories, as the guest sees it."""
    found = {".": shell(machine, "ls -ld .")[:10]}
    for part in shell(machine, f"ls -lA {' '.join(sorted(directories))}").split("\n\n"):
        directory, _, lines = part.partition(":\n")
        for line in lines.splitlines()[1:]:
            mode, _, user, group, size, *_, name = line.split()
            assert (user, group, size) == ("root", "root", "0")
            found[os.path.normpath(f"{directory}/{name}")] = mode
    return found


def test_every_name_with_its_mode(machine: Machine) -> None:
    expected = golden_modes()
    directories = {os.path.dirname(path) or "." for path in expected}
    found = modes(machine, directories)
    absent = expected.keys() - found.keys()
    assert {path for path in absent if path.removeprefix("events/") not in LINUX_EVENTS} == set()
    assert found.keys() - expected.keys() <= ADDED.keys()
    common = found.keys() & expected.keys()
    assert {path: found[path] for path in common} == {path: expected[path] for path in common}


def test_an_instance_has_what_linux_gives_it(arch: str) -> None:
    lines = read_golden("instance.txt").splitlines()
    names = {line.removeprefix("./") for line in lines if line.startswith("./")}
    with booted_machine(arch) as machine:
        machine.tracefs.mkdir("instances/foo")
        files = modes(machine, {".", "instances/foo"})
        own = {os.path.basename(path): mode for path, mode in files.items() if path.startswith("instances/foo/")}
        assert own == {name: files[name] for name in names}
        assert machine.tracefs.read("instances/foo/available_tracers") == next(line for line in lines if "osnoise" in line) + "\n"
        options = machine.tracefs.read("instances/foo/trace_options").split()
        start = lines.index("print-parent")
        assert [option for option in options if option != "nobranch"] == lines[start : start + len(options) - 1]


# Initial contents


def initial() -> Iterator[tuple[str, str]]:
    """The files of the real kernel after its boot, and their contents: of long ones the beginning."""
    parts = r"^== \./(\S+)\n(.*?)\n(?=== |\Z)"
    yield from re.findall(parts, read_golden("initial-contents-all.txt"), re.MULTILINE | re.DOTALL)
    for file in GOLDEN.glob("file-*.initial.txt"):
        yield file.name.removeprefix("file-").removesuffix(".initial.txt").replace("events_", "events/"), file.read_text()
    yield "available_events", available_events()


def without_branch(text: str) -> str:
    """The text without the features that the golden kernel lacks."""
    return text.replace("nobranch\n", "").replace(" branch ", " ")


def of_systems(text: str, systems: set[str]) -> list[str]:
    """The lines of eval_map that belong to these systems; the last line of the golden is truncated."""
    return [line for line in text.splitlines() if (match := re.search(r"\((\w+)\)$", line)) and match[1] in systems]


def systems(text: str) -> set[str]:
    return set(re.findall(r"\((\w+)\)$", text, re.MULTILINE))


CLOCKS = {ftrace_arch.load(name).cycle_clock for name in ARCHITECTURES}

# Differences: the reason, and the comparison used instead
DIFFERENT: dict[str, tuple[str, Callable[[str, str], bool]]] = {
    "available_tracers": (
        "there is the branch tracer, and on other architectures no device for mmiotrace",
        lambda ours, linux: without_branch(ours) in {linux, linux.replace(" mmiotrace", "")},
    ),
    "trace_options": ("there is the branch tracer", lambda ours, linux: without_branch(ours) == linux),
    "trace_clock": (
        "the last clock is the architecture's",
        lambda ours, linux: ours.split()[:-1] == linux.split()[:-1] and ours.split()[-1] in CLOCKS,
    ),
    "dyn_ftrace_total_info": (
        "another kernel has other functions",
        lambda ours, linux: re.sub(r"\d+", "0", ours) == re.sub(r"\d+", "0", linux),
    ),
    "printk_formats": (
        "another kernel has other texts",
        lambda ours, linux: all(re.fullmatch('0x[0-9a-f]{16} : ".*"', line) for line in ours.splitlines()),
    ),
    "eval_map": (
        "the guest has fewer events; the golden is cut",
        lambda ours, linux: of_systems(ours, systems(linux)) == of_systems(linux, systems(ours)) != [],
    ),
    "available_events": (
        "the guest has fewer events, and events of its own architecture",
        lambda ours, linux: len(set(ours.split()) - set(linux.split())) < 20 < len(set(ours.split()) & set(linux.split())),
    ),
    **{f"per_cpu/cpu{cpu}/stats": (
        "it shows the time",
        lambda ours, linux: re.sub(r"now ts: .*", "", ours) == re.sub(r"now ts: .*", "", linux),
    ) for cpu in range(2)},
}  # fmt: skip


def test_every_file_begins_with_what_linux_has(arch: str) -> None:
    with booted_machine(arch) as machine:
        seen = set()
        for path, text in initial():
            _, same = DIFFERENT.get(path, ("", str.__eq__))
            assert same(machine.tracefs.read(path), text), (path, machine.tracefs.read(path)[:200])
            seen.add(path)
    assert len(seen) > 100 and seen >= DIFFERENT.keys()


def test_every_tracer_has_its_options_and_its_header(arch: str) -> None:
    sections = re.findall(r"^== (\w+)\n(.*?)^-- header of trace:\n(.*?)(?=^== |\Z)",
                          read_golden("per-tracer-options-and-headers.txt"), re.MULTILINE | re.DOTALL)  # fmt: skip
    with booted_machine(arch) as machine:
        machine.tracefs.write("tracing_on", "0")
        for tracer, options, text in sections:
            machine.tracefs.write("current_tracer", tracer)
            ours = without_branch(machine.tracefs.read("trace_options")).replace("nofuncgraph-flat\n", "")
            assert ours == options, tracer
            header = [line for line in text.splitlines() if line.startswith("#")]
            if tracer in LATENCY:  # the rest describes the maximum latency; here there is none yet
                header = header[:2]
            numberless = [re.sub(r"\d+/\d+", "0/0", line) for line in header]
            assert machine.tracefs.read("trace").splitlines() == numberless, tracer
    assert len(sections) == 13


# Accepted and refused writes


class Row(NamedTuple):
    """The results of writes to a file, or to several."""

    pattern: str  # of the path; the first matching row applies
    taken: str | None  # None: nothing is accepted, or nothing that would be the same for all
    shown: str | None  # by the file afterwards; None: it shows nothing, or more
    refused: str | None  # None: nothing is refused
    code: int


TAKEN_AND_REFUSED = [
    Row(*row)
    for row in (
        ("buffer_percent", "100", "100\n", "101", errno.EINVAL),
        ("buffer_size_kb", "8", "11\n", "0", errno.EINVAL),
        ("per_cpu/cpu*/buffer_size_kb", "12", "15\n", "x", errno.EINVAL),
        ("current_tracer", "blk", "blk\n", "bogus", errno.EINVAL),
        ("error_log", "anything", "", None, 0),
        ("free_buffer", "anything", None, None, 0),
        ("function_profile_enabled", "1", "1\n", "x", errno.EINVAL),
        ("hwlat_detector/mode", "per-cpu", "none round-robin [per-cpu]\n", "bogus", errno.EINVAL),
        ("hwlat_detector/width", "4000", "4000\n", "1000001", errno.EINVAL),
        ("hwlat_detector/window", "700000", "700000\n", "10", errno.EINVAL),
        ("kprobe_events", "p:mine vfs_read", "p:kprobes/mine vfs_read\n", "bad", errno.EINVAL),
        ("uprobe_events", "p:mine /bin/sh:0x1", "p:uprobes/mine /bin/sh:0x0000000000000001\n", "p:x /no:1", errno.ENOENT),
        ("synthetic_events", "mine int a", "mine\tint a\n", "bad", errno.EINVAL),
        ("dynamic_events", "e:mine sched.sched_waking", "e:eprobes/mine sched.sched_waking\n", "z:bad", errno.EINVAL),
        ("max_graph_depth", "7", "7\n", "4294967296", errno.ERANGE),
        ("osnoise/cpus", "1", "1\n", "9", errno.ERANGE),
        ("osnoise/options", "NO_OSNOISE_WORKLOAD", None, "BOGUS", errno.EINVAL),
        ("osnoise/period_us", "2000000", "2000000\n", "1", errno.EINVAL),
        ("osnoise/runtime_us", "5000", "5000\n", "9000000", errno.EINVAL),
        ("osnoise/timerlat_period_us", "2000", "2000\n", "1", errno.EINVAL),
        ("osnoise/*", "50", "50\n", "x", errno.EINVAL),
        ("recursed_functions", "anything", "", None, 0),
        ("saved_cmdlines_size", "128", "6552\n", "0", errno.EINVAL),
        ("set_event", "sched:sched_switch", None, "nosuch:event", errno.EINVAL),  # with those that have triggers
        ("set_*_pid", "1", "1\n", "abc", errno.EINVAL),
        ("set_*", "vfs_read", "vfs_read\n", "nosuchfunc", errno.EINVAL),
        ("snapshot", "1", None, "x", errno.EINVAL),
        ("per_cpu/cpu*/snapshot", "2", None, "x", errno.EINVAL),
        ("stack_max_size", "0", "0\n", "x", errno.EINVAL),
        ("stack_trace_filter", "vfs_read", "vfs_read\n", "nosuchfunc", errno.EINVAL),
        ("trace", "", None, None, 0),
        ("per_cpu/cpu*/trace", "", None, None, 0),
        ("trace_clock", "global", None, "bogus", errno.EINVAL),
        ("trace_marker", "text", None, None, 0),
        ("trace_marker_raw", "12345678", None, "ab", errno.EINVAL),
        ("trace_options", "noblock", None, "bogus", errno.EINVAL),
        ("trace_stat/*", None, None, "1", errno.EINVAL),
        ("tracing_cpumask", "1", "1\n", "zz", errno.EINVAL),
        ("tracing_max_latency", "18446744073709551615", "18446744073709550\n", "x", errno.EINVAL),
        ("tracing_on", "2", "1\n", "x", errno.EINVAL),
        ("tracing_thresh", "18446744073709551615", "18446744073709550\n", "18446744073709551616", errno.ERANGE),
        ("events/enable", "1", None, "2", errno.EINVAL),
        ("events/*/enable", "1", "1\n", "2", errno.EINVAL),
        ("events/*/filter", "common_pid == 1", None, "common_pid ==", errno.EINVAL),
        ("events/*/trigger", "stacktrace", "stacktrace:unlimited\n", "bogus", errno.EINVAL),
        ("events/*/inject", None, None, "bogus=1", errno.ENOENT),
        ("options/*", None, None, "2", errno.EINVAL),
    )
]


def row_of(path: str) -> Row:
    return next(row for row in TAKEN_AND_REFUSED if fnmatchcase(path, row.pattern))


def refusal(tracefs: TraceFS, path: str, text: str) -> int | None:
    """The errno of `echo text >> path`. Opening some files with `>` changes them."""
    with pytest.raises(TraceError) as error:
        tracefs.append(path, text)
    return error.value.errno


def content(tracefs: TraceFS, path: str, mode: str) -> str | None:
    """The content of a file that reading does not consume."""
    return tracefs.read(path) if "r" in mode and "trace_pipe" not in path else None


@pytest.mark.static_timing("other models have hardware_events, which Linux has not")
def test_every_file_takes_and_refuses_what_linuxs_does(arch: str) -> None:
    with booted_machine(arch) as machine:
        tracefs = machine.tracefs
        files = modes(machine, {os.path.dirname(path) or "." for path in golden_modes()})
        tracefs.write("set_ftrace_filter", "vfs_read")
        unused = {row.pattern for row in TAKEN_AND_REFUSED}
        for path, mode in sorted(files.items()):
            if mode.startswith("d"):
                continue
            if "w" not in mode:
                assert refusal(tracefs, path, "1") == errno.EINVAL, path
                continue
            row = row_of(path)
            unused.discard(row.pattern)
            if row.refused is not None:
                before = content(tracefs, path, mode)
                assert refusal(tracefs, path, row.refused) == row.code, path
                if not path.endswith("/filter"):  # which now contains the error
                    assert content(tracefs, path, mode) == before, path
            if row.taken is not None:
                tracefs.write(path, row.taken)
                assert row.shown is None or tracefs.read(path) == row.shown, path
        assert unused == set()


def test_every_option_can_be_changed_but_one(arch: str) -> None:
    """By its file, and by its name, which requires its tracer."""
    with booted_machine(arch) as machine:
        tracefs = machine.tracefs
        for name in tracefs.listdir("options"):
            before = tracefs.read(f"options/{name}")
            other = f"{1 - int(before)}\n"
            if name == "test_nop_refuse":
                assert refusal(tracefs, f"options/{name}", other) == refusal(tracefs, "trace_options", name) == errno.EINVAL
                continue
            tracefs.write(f"options/{name}", other)
            assert tracefs.read(f"options/{name}") == other
            tracefs.write(f"options/{name}", before)
            assert tracefs.read(f"options/{name}") == before
        said = [line.partition("] ")[2] for line in shell(machine, "dmesg").splitlines() if "test_" in line]
    assert said == [
        f"nop_test_{what} flag set to {on}: we {what}. Now cat trace_options to see the result"
        for what, on in (("accept", 1), ("accept", 0), ("refuse", 1), ("refuse", 1))
    ]


# Earlier writes on the golden's machine
BEFORE = [("buffer_size_kb", "8192"), ("tracing_max_latency", "4862")]


def test_writes_one_after_another_are_answered_as_on_linux(arch: str) -> None:
    """In the guest. One of the writes empties tracing_cpumask: then even trace_marker is refused."""
    writes = list(golden_writes())
    script = 'exec 2>&1; w() { echo "$2" > $1; echo status $?; [ $# = 2 ] || head -n 4 $1; echo ==; }\n'
    script += "".join(f"echo {value} > {path}\n" for path, value in BEFORE)
    script += "".join(f"w {write.path} '{write.value}' {'show' * bool(write.shown)}\n" for write in writes)
    with booted_machine(arch) as machine:
        answers = shell(machine, script).split("==\n")
    assert len(answers) == len(writes) + 1 > 45
    for write, answer in zip(writes, answers, strict=False):
        match = re.fullmatch(r"(.*\n)?status (\d)\n((?:.*\n)*)", answer)
        assert match is not None, (write, answer)
        said, status, shown = match.groups()
        assert (status != "0") == bool(write.code), write
        assert said is None if not write.code else os.strerror(write.code) in said, write
        lines = [re.sub("|".join(CLOCKS), "CLOCK", line) for line in shown.splitlines()]
        assert lines == [line.replace("x86-tsc", "CLOCK") for line in write.shown], write
