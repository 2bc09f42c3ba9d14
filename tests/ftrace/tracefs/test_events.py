# SPDX-License-Identifier: GPL-2.0-only
"""events/, set_event and available_events of a kernel that has been loaded but not started."""

from __future__ import annotations

import errno
import re

import pytest

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall
from emu.ftrace.tracefs import TraceFS
from emu.ftrace.tracefs.node import StaticDirectory
from emu.kernel.files.node import Directory, Node, OpenFlags

SWITCH = "events/sched/sched_switch"


def node(root: Directory, path: str) -> Node:
    found: Node = root
    for name in path.split("/"):
        assert isinstance(found, Directory)
        found = found.lookup(name)
    return found


def refused(tracefs: TraceFS, path: str, text: str) -> int | None:
    with pytest.raises(TraceError) as error:
        tracefs.write(path, text)
    return error.value.errno


def states(tracefs: TraceFS) -> tuple[str, ...]:
    return tuple(tracefs.read(f"events/{path}enable").strip() for path in ("", "sched/", "sched/sched_switch/"))


def first(array: TraceArray, count: int) -> list[EventCall]:
    """The kernel's first events."""
    return [call for number, call in array.recorder.globals.events.items() if number >= 20][:count]


# Directories


def test_a_directory_has_a_link_from_each_directory_in_it(root: StaticDirectory, tracefs: TraceFS) -> None:
    assert node(root, "events/ftrace").attributes().nlink == 20  # as in ls-eventdirs.txt
    systems = set(tracefs.listdir("events")) - {"enable", "header_event", "header_page"}
    assert node(root, "events").attributes().nlink == 2 + len(systems)
    assert node(root, SWITCH).attributes().nlink == 2


def test_the_system_ftrace_cannot_be_enabled(tracefs: TraceFS) -> None:
    assert not tracefs.exists("events/ftrace/enable")
    assert not tracefs.exists("events/ftrace/print/enable")
    assert tracefs.read("events/ftrace/print/id") == "5\n"
    assert "ftrace:" not in tracefs.read("available_events")
    assert refused(tracefs, "set_event", "ftrace:print") == errno.EINVAL


def test_format_and_id_name_the_same_event(tracefs: TraceFS) -> None:
    number = tracefs.read(f"{SWITCH}/id")
    assert tracefs.read(f"{SWITCH}/format").startswith(f"name: sched_switch\nID: {number}format:\n")


def test_available_events_are_in_the_order_of_their_numbers(tracefs: TraceFS) -> None:
    lines = tracefs.read("available_events").splitlines()
    numbers = [int(tracefs.read(f"events/{line.replace(':', '/')}/id")) for line in lines]
    assert numbers == sorted(numbers)
    assert len(set(lines)) == len(lines)


# Enabling


def test_an_event_is_enabled_by_its_file(tracefs: TraceFS) -> None:
    assert states(tracefs) == ("0", "0", "0")
    assert tracefs.read("set_event") == ""
    tracefs.write(f"{SWITCH}/enable", "1")
    assert states(tracefs)[2] == "1"
    assert tracefs.read("set_event") == "sched:sched_switch\n"
    tracefs.write(f"{SWITCH}/enable", "0")
    assert states(tracefs) == ("0", "0", "0")


def test_a_system_of_which_some_are_enabled_shows_x(trace_array: TraceArray, tracefs: TraceFS) -> None:
    assert len(first(trace_array, 2)) == 2
    trace_array.enable_events(first(trace_array, 1), True)
    assert tracefs.read("events/enable") == "X\n"
    tracefs.write("events/enable", "1")
    assert states(tracefs) == ("1", "1", "1")
    assert tracefs.read("set_event") == tracefs.read("available_events")
    tracefs.write("events/enable", "0")
    assert tracefs.read("set_event") == ""


@pytest.mark.parametrize("path", ["events/enable", "events/sched/enable", f"{SWITCH}/enable"])
@pytest.mark.parametrize("text", ["2", "x", "", "-1"])
def test_enable_takes_0_and_1_only(tracefs: TraceFS, path: str, text: str) -> None:
    assert refused(tracefs, path, text) == errno.EINVAL
    assert states(tracefs) == ("0", "0", "0")


def test_enabling_makes_room_for_events(tracefs: TraceFS) -> None:
    assert "expanded" in tracefs.read("buffer_size_kb")
    tracefs.write(f"{SWITCH}/enable", "1")
    assert int(tracefs.read("buffer_size_kb")) >= 1408


# set_event


@pytest.mark.parametrize("word", ["sched:sched_switch", "*:sched_switch", ":sched_switch", "sched_switch"])
def test_a_word_names_an_event(tracefs: TraceFS, word: str) -> None:
    tracefs.write("set_event", word)
    assert tracefs.read("set_event") == "sched:sched_switch\n"
    tracefs.append("set_event", f"!{word}")
    assert tracefs.read("set_event") == ""


@pytest.mark.parametrize("word", ["sched", "sched:", "sched:*"])
def test_a_word_names_a_system(tracefs: TraceFS, word: str) -> None:
    tracefs.write("set_event", word)
    available = tracefs.read("available_events").splitlines()
    assert tracefs.read("set_event").splitlines() == [line for line in available if line.startswith("sched:")]


@pytest.mark.parametrize("word", ["*:*", "*:", ":*", ":"])
def test_a_word_names_all_events(tracefs: TraceFS, word: str) -> None:
    tracefs.write("set_event", word)
    assert tracefs.read("set_event") == tracefs.read("available_events")


@pytest.mark.parametrize(
    "word", ["nosuch:event", "sched:nosuch", "!sched:nosuch", "nosuch", "sched_*", "*", "sched:mod:x", "!", "x" * 127]
)
def test_a_wrong_word_is_refused(tracefs: TraceFS, word: str) -> None:
    assert refused(tracefs, "set_event", word) == errno.EINVAL


def test_words_before_a_wrong_one_count(tracefs: TraceFS) -> None:
    assert refused(tracefs, "set_event", "sched:sched_switch nosuch !sched:sched_switch") == errno.EINVAL
    assert tracefs.read("set_event") == "sched:sched_switch\n"


def test_truncation_disables_all(tracefs: TraceFS) -> None:
    tracefs.write("set_event", "*:*")
    tracefs.append("set_event", "")
    assert tracefs.read("set_event") == tracefs.read("available_events")
    tracefs.write("set_event", "")
    assert tracefs.read("set_event") == ""


def test_an_instance_has_events_of_its_own(tracefs: TraceFS) -> None:
    tracefs.mkdir("instances/a")
    tracefs.write(f"instances/a/{SWITCH}/enable", "1")
    assert tracefs.read("instances/a/set_event") == "sched:sched_switch\n"
    assert tracefs.read("set_event") == ""
    assert not tracefs.exists("instances/a/available_events")
    tracefs.rmdir("instances/a")


@pytest.mark.parametrize("name", ["format", "enable", "../enable", "../../header_page"])
def test_an_instance_stays_while_a_file_of_an_event_is_open(tracefs: TraceFS, root: StaticDirectory, name: str) -> None:
    tracefs.mkdir("instances/a")
    path = re.sub(r"[^/]+/\.\./", "", re.sub(r"[^/]+/\.\./", "", f"instances/a/{SWITCH}/{name}"))
    file = node(root, path)
    handle = file.open(OpenFlags.READ)
    with pytest.raises(TraceError) as error:
        tracefs.rmdir("instances/a")
    assert error.value.errno == errno.EBUSY
    handle.release()
    tracefs.rmdir("instances/a")
    assert file.removed or node_is_gone(root, path)


def node_is_gone(root: StaticDirectory, path: str) -> bool:
    with pytest.raises(TraceError):
        node(root, path)
    return True
