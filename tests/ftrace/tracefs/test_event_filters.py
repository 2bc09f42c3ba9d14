# SPDX-License-Identifier: GPL-2.0-only
"""The files `filter` and `error_log`."""

from __future__ import annotations

import errno
import re
from random import Random

import pytest

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.errors import TraceError
from emu.ftrace.tracefs import TraceFS
from tests.lib.filter_texts import random_text
from tests.lib.golden import read_golden

SWITCH, WAKEUP, SYSTEM = "events/sched/sched_switch/filter", "events/sched/sched_wakeup/filter", "events/sched/filter"
BAD_SYSTEM_FILTER = "Couldn't find or set field in one of a subsystem's events"


def golden(name: str) -> str:
    return read_golden(f"{name}.txt")


def without_times(log: str) -> str:
    return re.sub(r"^\[ *\d+\.\d{6}\] ", "", log, flags=re.MULTILINE)


def refused(tracefs: TraceFS, path: str, text: str) -> TraceError:
    with pytest.raises(TraceError) as error:
        tracefs.write(path, text)
    assert error.value.errno == errno.EINVAL
    return error.value


def test_a_filter_is_shown_until_it_is_cleared(tracefs: TraceFS) -> None:
    assert tracefs.read(SWITCH) == "none\n"
    tracefs.write(SWITCH, 'prev_prio < 100 || next_comm ~ "sl*"')
    assert tracefs.read(SWITCH) == golden("filter-ok")
    tracefs.write(SWITCH, "0")
    assert tracefs.read(SWITCH) == golden("filter-cleared")


def test_a_wrong_filter_is_shown_with_what_is_wrong(tracefs: TraceFS) -> None:
    shown = []
    for text in re.findall(r"^# echo '(.*)' > ", golden("error-filters"), re.MULTILINE):
        refused(tracefs, SWITCH, text)
        said = "/host/jobs/golden.sh: 132: echo: echo: I/O error\nrc=1"
        shown.append(f"# echo '{text}' > {SWITCH}\n{said}\n# filter file:\n{tracefs.read(SWITCH)}")
        tracefs.write(SWITCH, "0")
    assert "".join(shown) == golden("error-filters")
    assert without_times(tracefs.read("error_log")) == without_times(golden("error_log.after-bad-filters"))
    tracefs.write("error_log", "")
    assert tracefs.read("error_log") == golden("error_log.cleared")


def in_force(array: TraceArray, path: str) -> str | None:
    """The filter of the event whose file `filter` has this path."""
    _, system, name, _ = path.split("/")
    call = array.recorder.globals.events.find(system, name)
    assert call is not None
    file = array.ops.events.get(call)
    return file.filter.text if file and file.filter else None


def test_a_wrong_filter_leaves_the_old_one(tracefs: TraceFS, trace_array: TraceArray) -> None:
    tracefs.write(SWITCH, "prev_pid == 1")
    refused(tracefs, SWITCH, "nosuch == 1")
    assert tracefs.read(SWITCH) == "nosuch == 1\n       ^\nparse_error: Field not found\n\n"
    assert in_force(trace_array, SWITCH) == "prev_pid == 1"
    tracefs.write(SWITCH, "0")
    assert in_force(trace_array, SWITCH) is None
    assert tracefs.read(SWITCH) == "none\n"


def test_what_was_refused_is_shown_until_the_next_write(tracefs: TraceFS) -> None:
    refused(tracefs, SWITCH, "nosuch == 1")
    assert tracefs.read(SWITCH) == "nosuch == 1\n       ^\nparse_error: Field not found\n\n"
    tracefs.write(SYSTEM, "common_pid == 1")
    assert tracefs.read(SWITCH) == "common_pid == 1\n"
    tracefs.write(SYSTEM, "0")
    assert tracefs.read(SWITCH) == "none\n"


def test_writing_to_error_log_does_nothing_but_truncating_it_does(tracefs: TraceFS) -> None:
    refused(tracefs, SWITCH, "nosuch == 1")
    tracefs.append("error_log", "x")
    assert tracefs.read("error_log").count("Command") == 1
    tracefs.write("error_log", "x")
    assert tracefs.read("error_log") == ""


def test_other_errors_are_not_in_error_log(tracefs: TraceFS) -> None:
    refused(tracefs, "current_tracer", "bogus")
    refused(tracefs, "events/sched/sched_switch/enable", "7")
    assert tracefs.read("error_log") == ""


@pytest.mark.parametrize("text", ["0", " 0\t"])
def test_what_clears(tracefs: TraceFS, text: str) -> None:
    tracefs.write(SWITCH, "prev_pid == 1")
    tracefs.write(SWITCH, text)
    assert tracefs.read(SWITCH) == "none\n"


def test_a_filter_has_at_most_a_page(tracefs: TraceFS) -> None:
    longest = "prev_pid==1".ljust(4094)
    tracefs.write(SWITCH, longest)
    assert tracefs.read(SWITCH) == "prev_pid==1\n"
    refused(tracefs, SWITCH, longest + " ")
    assert tracefs.read("error_log") == ""


# Systems


def test_the_filter_of_a_system_is_that_of_its_events_that_have_the_fields(tracefs: TraceFS) -> None:
    assert tracefs.read(SYSTEM) == golden("event-files").partition("-- events/sched/filter\n")[2]
    default = tracefs.read(SYSTEM)
    tracefs.write(SYSTEM, "common_pid == 0")
    tracefs.write(SYSTEM, "prev_pid == 0")
    assert (tracefs.read(SWITCH), tracefs.read(WAKEUP)) == ("prev_pid == 0\n", "common_pid == 0\n")
    assert tracefs.read(SYSTEM) == default
    assert tracefs.read("events/irq/softirq_entry/filter") == "none\n"
    assert tracefs.read("error_log") == ""


def test_a_filter_that_fits_no_event_of_a_system(tracefs: TraceFS) -> None:
    tracefs.write(SWITCH, "prev_pid == 1")
    default = tracefs.read(SYSTEM)
    error = refused(tracefs, SYSTEM, "nosuch == 1")
    assert "position 7: Field not found" in str(error)  # the error for people is more detailed than error_log
    assert tracefs.read(SYSTEM) == f"nosuch == 1\n^\nparse_error: {BAD_SYSTEM_FILTER}\n\n"
    assert tracefs.read(SWITCH) == "prev_pid == 1\n"
    log = f"event filter parse error: error: {BAD_SYSTEM_FILTER}\n  Command: nosuch == 1\n           ^\n"
    assert without_times(tracefs.read("error_log")) == log
    tracefs.write(SYSTEM, "0")
    assert (tracefs.read(SYSTEM), tracefs.read(SWITCH)) == (default, "none\n")


# Existing files


def test_of_the_events_of_the_host_only_those_of_function_graph_have_filters(tracefs: TraceFS) -> None:
    tracefs.mkdir("instances/a")
    having = [name for name in tracefs.listdir("events/ftrace") if tracefs.exists(f"events/ftrace/{name}/filter")]
    assert having == ["funcgraph_entry", "funcgraph_exit"]
    assert not tracefs.exists("instances/a/events/ftrace/funcgraph_entry/filter"), "it has no function_graph"
    assert not tracefs.exists("events/ftrace/filter")
    tracefs.write("events/ftrace/funcgraph_entry/filter", "graph_ent.depth == 1")
    tracefs.write("events/ftrace/funcgraph_exit/filter", "ret.depth == 1 && rettime != 0")
    assert tracefs.read("events/ftrace/funcgraph_exit/filter") == "ret.depth == 1 && rettime != 0\n"


def test_an_instance_has_its_own_filters_and_its_own_log(tracefs: TraceFS) -> None:
    tracefs.mkdir("instances/a")
    tracefs.write(SWITCH, "prev_pid == 1")
    refused(tracefs, f"instances/a/{SWITCH}", "nosuch == 1")
    assert "Field not found" in tracefs.read(f"instances/a/{SWITCH}")
    assert (tracefs.read(SWITCH), tracefs.read("error_log")) == ("prev_pid == 1\n", "")
    assert "Field not found" in tracefs.read("instances/a/error_log")
    tracefs.rmdir("instances/a")


def test_functions_are_found_by_their_names(tracefs: TraceFS, trace_array: TraceArray) -> None:
    tracefs.write("events/kmem/kmalloc/filter", "call_site.function == vfs_read")
    refused(tracefs, "events/kmem/kmalloc/filter", "call_site.function == nosuch")
    symbols = trace_array.recorder.globals.symbols
    whole = symbols.function("vfs_read")
    assert whole is not None
    assert symbols.function(whole.start + 1) == symbols.function(whole.stop - 1) == whole
    assert symbols.function(whole.stop) != whole
    assert symbols.function(5) is None


def test_what_is_refused_at_random_leaves_the_old_filter(tracefs: TraceFS, trace_array: TraceArray) -> None:
    random, path = Random(2), "events/kmem/kmalloc/filter"
    fields = {"pid": "bytes_req", "name": "comm", "big": "bytes_alloc", "site": "call_site", "path": "ptr"}
    tracefs.write(path, "bytes_req == 1")
    accepted = 0
    for _ in range(400):
        text = re.sub(r"\b(pid|name|big|site|path)\b", lambda word: fields[word[0]], random_text(random))
        wanted = in_force(trace_array, path)
        try:
            tracefs.write(path, text)
        except TraceError as error:
            assert error.errno == errno.EINVAL
            command, caret = tracefs.read("error_log").rpartition("  Command: ")[2].rstrip("\n").rsplit("\n", 1)
            assert len("  Command: ") <= caret.index("^") <= len(f"  Command: {command}") + 1
        else:
            accepted += 1
            wanted = text.partition("\0")[0].rstrip()
            assert tracefs.read(path) == f"{wanted}\n"
        assert in_force(trace_array, path) == wanted
    assert 100 < accepted < 300
