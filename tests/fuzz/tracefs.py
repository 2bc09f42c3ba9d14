# SPDX-License-Identifier: GPL-2.0-only
"""Two tasks of the guest and the host write random data to files of tracefs, all at once, while the guest works.

Whatever they write: errors are errnos, the guest continues, all files can be read, and the kernel's code matches the settings.
After everything has been taken back, the code is the original one.
"""

from __future__ import annotations

import errno
import os
import random
import re
import shlex
import string
import tempfile
import traceback
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.dynevent.arguments import is_good_name
from emu.ftrace.errors import TraceError
from emu.ftrace.tracefs import TraceFS
from emu.kernel.cpio import read_entries
from emu.machine import GuestPanic, LimitReached, Machine, image_directory
from tests.fuzz import Outcome
from tests.fuzz.tracefs_definitions import TARGETS
from tests.fuzz.tracefs_writes import INSTANCES, Action, Change, Changes
from tests.lib.patched_code import branches, calls, keys_on
from tests.lib.tracer_switches import text_bytes
from tests.lib.trampoline_places import free_places, trampolines

__all__ = ["run"]

_CPUS = 2
_TASKS = ("first", "second")  # that write
_BATCH = 450  # changes; then everything is checked
_SHORT = 500  # bytes of data that are part of a script; longer data is in a file
_IN_TWO = 0.1  # the share of the tasks' data that is written in two parts
_LONGEST_PAUSE = 30_000  # cycles between two writes of the host
_LONGEST = 10 * 10**9  # nanoseconds of the guest's time for a batch: hwlat may keep a CPU for nearly all of it
_REMEMBERED = 5  # changes of the host, which a finding lists
_LOOKED_AT = 60  # changes after a batch; the refused ones must have had no partial effect
_WHOLE = ("kprobe_events", "uprobe_events", "synthetic_events", "dynamic_events", "trigger", "enable")
_COUNT_LEFT = re.compile(r":count=\d+")
_EXPECTED = "the kprobe sample_events:"  # a deferred probe; the module has no such function
_DEFINITIONS = ("dynamic_events", "kprobe_events", "uprobe_events", "synthetic_events", "kprobe_profile", "uprobe_profile")
_EVENTS_READ = 20  # directories of events whose files are read after a batch
# The load. Functions and events come and go with a module.
_LOAD = """
ls /bin | sed s/[aeiou]/z/g > /names; busy 2 1 > /dev/null
timeout 0.02 cat /sys/kernel/tracing/trace_pipe > /names
insmod /lib/modules/sample_events.ko; usleep 2000; busy 2 1 > /dev/null; rmmod sample_events
for target in /target /fuzz/target; do timeout 0.02 $target /bin > /names 2>&1; done
cd /sys/kernel/debug/kprobes; echo 0 > enabled; cat list > /names; echo 1 > enabled
"""
_WAIT = "cd /; while ! [ -e first.done -a -e second.done -a -e load.done ]; do usleep 1000; done"
_ERRORS = frozenset({
    errno.EINVAL, errno.ENOENT, errno.EBUSY, errno.EEXIST, errno.ENOMEM, errno.ENODEV, errno.E2BIG, errno.EPERM, errno.EBADF,
    errno.EACCES, errno.ENOSPC, errno.EFBIG, errno.ERANGE, errno.EOVERFLOW, errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR,
    errno.ENOTEMPTY, errno.EILSEQ, errno.EADDRNOTAVAIL, errno.EIO, errno.EDOM,
})  # fmt: skip
_MESSAGES = {*map(os.strerror, _ERRORS), "Directory nonexistent"}  # the last one is the shell's own for ENOENT
_WRITTEN = re.compile(r"#\s+entries-in-buffer/entries-written: (\d+)/(\d+) |^# latency: 0 us, #(\d+)/(\d+), CPU#")
_LOGGED = re.compile(r"^\[ *\d+\.\d+\] ", re.MULTILINE)
_MOST_LOGGED = 8
_COMMAND = "  Command: "
_LONGEST_FILTER = 4095  # bytes, with the added newline: longer ones are refused unread
_PLAIN = f"{string.ascii_letters}{string.digits} _:*,.=!".encode()  # bytes that printf prints as they are


class _WrongError(Exception):
    """A check has failed."""


class _AmbiguousError(Exception):
    """A histogram uses a variable that others have redefined since: it is refused, and so is its removal."""


def run(arch: str, seed: int, numbers: range) -> Outcome:
    """Makes changes on a machine; they depend on the seed and the first number."""
    outcome = Outcome()
    memory = 64 << 20
    with tempfile.TemporaryDirectory() as folder:
        share = f"{folder}:/fuzz"
        with Machine(arch=arch, cpus=_CPUS, seed=seed + numbers.start, memory=memory, shares=[share]) as machine:
            session = _Session(machine, Path(folder), random.Random(seed << 32 | numbers.start), outcome)
            try:
                for start in range(0, len(numbers), _BATCH):
                    session.batch(min(_BATCH, len(numbers) - start))
                with suppress(_AmbiguousError):
                    session.take_back()
            except Exception as error:
                known = isinstance(error, _WrongError | GuestPanic | LimitReached)
                what = str(error) if known else traceback.format_exc(limit=-6)
                outcome.findings.append(f"{arch}: changes {numbers} of seed {seed}: {what}\n{session}")
    return outcome


class _Session:
    """The changes on one machine, and the checks after them.

    Args:
        folder: is /fuzz in the guest.
        choose: the random generator.
        outcome: gets the counts.
    """

    def __init__(self, machine: Machine, folder: Path, choose: random.Random, outcome: Outcome) -> None:
        self._machine = machine
        self._folder = folder
        self._choose = choose
        self._outcome = outcome
        self._changes = Changes(machine, choose)
        self._last = deque[Change](maxlen=_REMEMBERED)
        self._batches = 0
        self._text = text_bytes(machine)
        for name in INSTANCES:
            machine.tracefs.mkdir(f"instances/{name}")
        target = folder / Path(TARGETS[1]).name
        target.write_bytes(_program(machine))
        target.chmod(0o755)
        self._run(f"cp /bin/ls {TARGETS[0]}")
        (folder / "load").write_text(f"{_LOAD}\n> /load.done\n")

    def __str__(self) -> str:
        last = "\n".join(f"  {change}" for change in self._last)
        return f"in batch {self._batches}; the host's last changes:\n{last}"

    def batch(self, count: int) -> None:
        """Makes that many changes in total, by the tasks and the host; then checks everything."""
        self._batches += 1
        share = count // (len(_TASKS) + 1)
        for task in _TASKS:
            self._write_script(task, self._changes.take(share))
        jobs = "; ".join(f"sh /fuzz/{task} > /{task}.log 2>&1 &" for task in (*_TASKS, "load")).replace("&;", "&")
        self._run(f"rm -f /*.done; cd /sys/kernel/tracing; {jobs}")
        for change in self._changes.take(count - share * len(_TASKS)):
            self._last.append(change)
            self._make(change)
            self._machine.advance(self._choose.randrange(_LONGEST_PAUSE))
        self._run(_WAIT)
        self._machine.settle()
        self._outcome.counts["changes"] += count
        self._check_messages()
        self._check()
        self._check_whole()

    # Making changes

    def _write_script(self, task: str, changes: list[Change]) -> None:
        lines = []
        for number, change in enumerate(changes):
            path = shlex.quote(change.path)
            match change.action:
                case Action.MKDIR | Action.RMDIR:
                    lines.append(f"{change.action.value} {path}")
                case Action.WRITE | Action.APPEND:
                    middle = self._choose.randrange(len(change.data) + 1)  # most open files get one write, some two
                    writer = f"printf {_quoted(change.data)}"
                    if self._choose.random() < _IN_TWO:
                        writer = f"{{ printf {_quoted(change.data[:middle])}; printf {_quoted(change.data[middle:])}; }}"
                    if len(change.data) > _SHORT:
                        (self._folder / f"{task}{number}").write_bytes(change.data)
                        writer = f"cat /fuzz/{task}{number}"
                    lines.append(f"{writer} {'>' if change.action is Action.WRITE else '>>'} {path}")
        script = "\n".join([*lines, f"> /{task}.done\n"])
        (self._folder / task).write_bytes(script.encode(errors="surrogateescape"))

    def _make(self, change: Change) -> None:
        tracefs, text = self._machine.tracefs, change.data.decode(errors="surrogateescape")
        try:
            match change.action:
                case Action.WRITE:
                    tracefs.write(change.path, text)
                case Action.APPEND:
                    tracefs.append(change.path, text)
                case Action.MKDIR:
                    tracefs.mkdir(change.path)
                case Action.RMDIR:
                    tracefs.rmdir(change.path)
        except TraceError as error:
            self._outcome.counts["refused"] += 1
            if error.errno not in _ERRORS:
                raise _WrongError(f"{error!r} is no errno that Linux gives") from error
            str(error)  # the error must have a message for people, too
            self._check_logged(change, error)
        else:
            self._outcome.counts["accepted"] += 1

    def _run(self, command: str) -> str:
        done = self._machine.run(command, limit=_LONGEST)
        output = done.output.decode(errors="replace")
        if done.status:
            raise _WrongError(f"{command} fails: {output}")
        return output

    # Checks

    def _check_messages(self) -> None:
        """Each error that a task got is an errno of tracefs."""
        for line in self._run(" ".join(["cat", *(f"/{task}.log" for task in _TASKS)])).splitlines():
            self._outcome.counts["refused"] += 1
            if line.rpartition(": ")[2] not in _MESSAGES:
                raise _WrongError(f"a task was told: {line}\n{self._line_of_script(line)}")
        if wrong := self._run("cat /load.log"):
            raise _WrongError(f"the load says: {wrong}")

    def _line_of_script(self, message: str) -> str:
        """The line of the script that caused a message."""
        if (where := re.match(r"/fuzz/(\w+): (\d+): ", message)) is None:
            return ""
        return (self._folder / where[1]).read_text(errors="backslashreplace").splitlines()[int(where[2]) - 1]

    def _check(self) -> None:
        machine = self._machine
        if warnings := [line for line in machine.warnings if not line.startswith(_EXPECTED)]:
            raise _WrongError("\n".join(warnings))
        if "well\n" not in self._run("ls / | sed s/^bin$/well/ | cat"):
            raise _WrongError("a pipeline does not work any more")
        machine.settle()
        self._check_code()
        self._run("cat /sys/kernel/debug/kprobes/list > /names")
        for folder, array in self._arrays():
            self._check_counts(folder, array)
            self._check_error_log(folder)
        for path in self._files():
            try:
                machine.tracefs.read(path)
            except TraceError as error:
                if error.errno not in _ERRORS:
                    raise _WrongError(f"reading {path}: {error!r}") from error

    def _check_whole(self) -> None:
        """Refused lines have changed nothing."""
        for change in self._changes.take(_LOOKED_AT):
            path, line = change.path, change.data.partition(b"\n")[0]
            if not path.endswith(_WHOLE) or not self._machine.tracefs.exists(path):
                continue
            before = self._shown(path)
            try:
                self._machine.tracefs.append(path, line.decode(errors="surrogateescape"))
            except TraceError as error:
                self._machine.settle()
                if (after := self._shown(path)) != before:
                    raise _WrongError(f"{path} refused {line!r}: {error}\nBefore:\n{before}\nNow:\n{after}") from error

    def _shown(self, path: str) -> str:
        """The texts that a write to a file may change, without the remaining counts of triggers."""
        tracefs = self._machine.tracefs
        paths = (path, "dynamic_events", "set_event")
        return _COUNT_LEFT.sub("", "".join(tracefs.read(path) for path in paths if tracefs.exists(path)))

    def _arrays(self) -> Iterator[tuple[str, TraceArray]]:
        """All trace arrays, and the prefixes of their files."""
        yield "", self._machine.trace_array
        for name, array in self._machine.trace_array.instances.items():
            yield f"instances/{name}/", array

    def _check_code(self) -> None:
        """Sites and branches match the arrays, also in the guest's memory."""
        machine, ftrace = self._machine, self._machine.ftrace
        arrays = [array.ops for _, array in self._arrays()]
        users = sum(ops.users() for ops in arrays) if machine.ftrace_enabled else 0 * arrays[0].users()
        if (users > 0).tolist() != (ftrace.sites.targets != 0).tolist():
            raise _WrongError("sites do not call as the arrays want")
        if calls(machine) != set(ftrace.sites.addresses[ftrace.sites.targets != 0].tolist()):
            raise _WrongError("the code of sites is not what they call")
        of_tracers = {machine.kernel.image.symbol(name) for ops in arrays for name in ops.tracer_keys}
        if keys_on(machine, branches(machine)) != of_tracers.union(*(ops.events.keys for ops in arrays)):
            raise _WrongError("keys are not as the arrays want")

    def _check_counts(self, folder: str, array: TraceArray) -> None:
        """The trace is text, and agrees with the counts of the buffers."""
        tracefs = self._machine.tracefs
        stats = [tracefs.read(f"{folder}per_cpu/cpu{cpu}/stats") for cpu in range(_CPUS)]
        counts = [dict(line.split(": ") for line in of_cpu.splitlines()) for of_cpu in stats]
        entries, overrun = (sum(int(of_cpu[name]) for of_cpu in counts) for name in ("entries", "overrun"))
        if min(entries, overrun) < 0:
            raise _WrongError(f"{folder}: {counts}")
        text = tracefs.read(f"{folder}trace")
        if "\0" in text and not array.options["bin"]:
            raise _WrongError(f"{folder}trace is no text: ...{text[-200:]!r}")
        if found := _WRITTEN.search("\n".join(text.splitlines()[:5])):
            self._outcome.counts["traces"] += 1
            if [int(number) for number in found.groups() if number] != [entries, entries + overrun]:
                raise _WrongError(f"{folder}trace has {found[0]}, its buffers {entries} and {overrun} that were given up")

    def _check_error_log(self, folder: str) -> None:
        """There are at most eight errors, and each points into its command."""
        if not self._machine.tracefs.exists(path := f"{folder}error_log"):
            return
        _, *errors = _LOGGED.split(self._machine.tracefs.read(path))
        if len(errors) > _MOST_LOGGED:
            raise _WrongError(f"{path} has {len(errors)} errors")
        for error in errors:
            found = re.fullmatch(rf"[^\n]*\n{_COMMAND}(.*)\n( *)\^\n", error, re.DOTALL)
            if found is None or not 0 <= len(found[2]) - len(_COMMAND) <= len(found[1]) + 1:  # some count from 1
                raise _WrongError(f"{path}: {error}")

    def _check_logged(self, change: Change, error: TraceError) -> None:
        """An error that belongs in error_log is its latest one."""
        if error.logged is None:
            if change.path.endswith("/filter") and error.errno == errno.EINVAL and len(change.data) < _LONGEST_FILTER:
                raise _WrongError(f"{error} is not in error_log")
            return
        self._outcome.counts["logged"] += 1
        instance = re.match("instances/[^/]*/", change.path)
        latest = self._machine.tracefs.read(f"{instance[0] if instance else ''}error_log")
        line = f"{error.logged.place}: error: {error.logged.text}\n{_COMMAND}{error.logged.command}\n"
        if f"] {line}" not in latest:
            raise _WrongError(f"error_log lacks {line}")

    def _files(self) -> Iterator[str]:
        """All files except those of most events; also some that are not listed."""
        systems = self._machine.tracefs.listdir("events")
        yield "tracing_enabled"
        for folder, _ in self._arrays():
            yield from self._below(folder.rstrip("/"))
            for _ in range(_EVENTS_READ):
                yield from self._below(f"{folder}events/{self._choose.choice(systems)}", self._choose)

    def _below(self, folder: str, choose: random.Random | None = None) -> Iterator[str]:
        """The files in and below a folder; of its subfolders, all, or a random one."""
        try:
            names = self._machine.tracefs.listdir(folder)
        except TraceError:
            yield folder
            return
        if choose is not None and names:
            if "hist" in names:
                yield f"{folder}/hist_debug"
            names = [choose.choice(names)]
        for name in names:
            if name not in ("events", "instances"):
                yield from self._below(f"{folder}/{name}".lstrip("/"))

    # The end

    def take_back(self) -> None:
        """Writes its initial content to each file. Afterwards the kernel's code is the original one."""
        machine, tracefs = self._machine, self._machine.tracefs
        machine.ftrace_enabled = True
        for name in tracefs.listdir("instances"):
            tracefs.rmdir(f"instances/{name}")
        for path in ("set_ftrace_filter", "set_ftrace_notrace", "set_graph_function", "set_graph_notrace", "stack_trace_filter"):
            tracefs.write(path, "")
        tracefs.write("function_profile_enabled", "0")
        tracefs.write("options/branch", "0")
        tracefs.write("current_tracer", "function")  # before the next tracer, because recording branches ends with it
        self._run("echo 0 > /proc/sys/kernel/stack_tracer_enabled")
        lines = [line.split(":") for line in tracefs.read("set_ftrace_filter").splitlines() if not line.startswith("#")]
        # One word removes all instances of a command, whichever events it switches.
        commands = {(line[1], line[-1] != "unlimited"): line[1:-1] for line in lines}
        for (_, counted), command in commands.items():
            tracefs.append("set_ftrace_filter", f"!*:{':'.join(command)}{':0' * counted}")
        self._take_back_triggers()
        tracefs.write("set_event", "")  # an event enabled by a trigger stays enabled without it
        listed = tracefs.read("dynamic_events").splitlines(keepends=True)
        definitions = "".join(line for line in listed if _has_good_name(line))
        self._remove_definitions()
        tracefs.append("dynamic_events", definitions)
        if (again := tracefs.read("dynamic_events")) != definitions:
            raise _WrongError(f"the definitions\n{definitions}were written back, and there are\n{again}")
        machine.settle()
        self._remove_definitions()
        tracefs.write("current_tracer", "nop")
        self._run(f"cd /; cmp /bin/ls {TARGETS[0]}; cmp /bin/ls {TARGETS[1]}; sync")
        self._check()
        left = {name: text for name in _DEFINITIONS if (text := tracefs.read(name))}
        if left or (probes := self._run("cat /sys/kernel/debug/kprobes/list")):
            raise _WrongError(f"everything was taken back, and there are {left or probes}")
        if (places := free_places(machine)) != (all_places := len(trampolines(machine))):
            raise _WrongError(f"everything was taken back, and of {all_places} places for code {places} are free")
        tree = machine.kernel.image.symbol("uprobes_tree")
        if any(machine.kernel.memory.read(tree, 8)):
            raise _WrongError("everything was taken back, and the guest still has probes in programs")
        if text_bytes(machine) != self._text:
            raise _WrongError("everything was taken back, and the kernel's code is not what it was")

    def _remove_definitions(self) -> None:
        """The newest first: it may use older ones."""
        tracefs = self._machine.tracefs
        for line in reversed(tracefs.read("dynamic_events").splitlines()):
            _, _, event = line.split()[0].partition(":")
            if f":{event}" in tracefs.read("dynamic_events"):  # several definitions of one event are removed together
                tracefs.append("dynamic_events", f"-:{event}")

    def _take_back_triggers(self) -> None:
        """Those with variables that others use are refused until the others are removed."""
        tracefs = self._machine.tracefs
        events = "ftrace:print", *tracefs.read("available_events").split()
        paths = [f"events/{event.replace(':', '/')}/trigger" for event in events]
        left = [(path, line) for path in paths for line in _triggers(tracefs, path)]
        while left:
            refused: list[tuple[str, str]] = []
            for path, line in left:
                try:
                    tracefs.append(path, f"!{line.partition(' [')[0]}")  # the state of a histogram is not part of its definition
                except TraceError as error:
                    if error.errno == errno.EINVAL and "$" in line:
                        raise _AmbiguousError from error
                    if error.errno != errno.EBUSY:
                        raise
                    refused.append((path, line))
            if len(refused) == len(left):
                raise _WrongError(f"triggers cannot be taken back: {left}")
            left = refused
        if left := [(path, line) for path in paths for line in _triggers(tracefs, path)]:
            raise _WrongError(f"triggers that were taken back are there: {left}")


def _program(machine: Machine) -> bytes:
    """The program ls."""
    archive = (image_directory(machine.board.arch.name) / "initramfs.cpio").read_bytes()
    return next(entry.data for entry in read_entries(archive) if entry.name == "bin/ls")


def _has_good_name(definition: str) -> bool:
    """Whether Linux accepts an event's name as a word. A name derived from a place may have other characters."""
    return is_good_name(re.split("[:/]", definition.split()[0])[-1])


def _triggers(tracefs: TraceFS, path: str) -> list[str]:
    """The triggers of an event."""
    return [line for line in tracefs.read(path).splitlines() if not line.startswith("#")] if tracefs.exists(path) else []


def _quoted(data: bytes) -> str:
    """The bytes as a format of printf."""
    return f"'{''.join(chr(byte) if byte in _PLAIN else f'{chr(92)}{byte:03o}' for byte in data)}'"
