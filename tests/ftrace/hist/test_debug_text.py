# SPDX-License-Identifier: GPL-2.0-only
"""The file hist_debug: Linux's structures of hist triggers, including those made for actions."""

from __future__ import annotations

from emu.ftrace.tracefs import TraceFS

NUMBER = ["type: u64", "size: 8", "is_signed: 0"]
SWITCH = "events/sched/sched_switch"


def parts(text: str) -> dict[str, list[str]]:
    """The lines below each heading of the text."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.endswith("]:") or line.endswith((".var:", ".val:", "_var:", "_ref:")):
            found[line.strip(" :").removeprefix("hist_data->")] = below = []
        elif line.startswith("      "):
            below.append(line.strip())
    return found


def test_fields_variables_and_references(tracefs: TraceFS) -> None:
    tracefs.write("synthetic_events", "late u64 lat; pid_t pid; int prio")
    tracefs.append("events/sched/sched_waking/trigger", "hist:keys=pid:ts0=common_timestamp.usecs")
    tracefs.append(f"{SWITCH}/trigger", "hist:keys=next_pid:lat=common_timestamp.usecs-$ts0,five=5:"
                   "onmatch(sched.sched_waking).late($lat,next_pid,prio):onmax($lat).save(prev_comm)")  # fmt: skip
    text = tracefs.read(f"{SWITCH}/hist_debug")
    assert "\n  n_vals: 3\n  n_keys: 1\n  n_fields: 4\n\n  val fields:\n\n    hist_data->fields[0]:\n      flags:\n" in text
    assert "\n    hist_data->actions[0].match_data.event_system: sched\n" in text
    assert "\n    hist_data->actions[0].match_data.event: sched_waking\n" in text
    place = "var.idx (into tracing_map_elt.vars[]): {}".format
    reference = "var_ref_idx (into hist_data->var_refs[]): {}".format
    data = "var.hist_data: {:016x}".format
    waking, made, own = 1, 2, 3  # the second histogram of sched_waking is created for the field that sched_switch lacks
    field, pid = "ftrace_event_field name: next_pid", "type: pid_t"
    lat = ["flags:", "HIST_FIELD_FL_VAR_REF", "name: lat", place(0), data(own), reference(2), *NUMBER]
    assert parts(text) == {
        "fields[0]": ["flags:", "VAL: HIST_FIELD_FL_HITCOUNT", *NUMBER],
        "fields[1]": ["flags:", "HIST_FIELD_FL_VAR", "var.name: lat", place(0), *NUMBER],
        "fields[2]": ["flags:", "HIST_FIELD_FL_VAR", "HIST_FIELD_FL_CONST", "var.name: five", place(1), "constant: 5", *NUMBER],
        "fields[3]": ["flags:", "HIST_FIELD_FL_KEY", field, pid, "size: 8", "is_signed: 1"],
        "var_refs[0]": ["flags:", "HIST_FIELD_FL_VAR_REF", "name: ts0", place(0), data(waking), reference(0), *NUMBER],
        "var_refs[1]": ["flags:", "HIST_FIELD_FL_VAR_REF", "name: synthetic_prio", place(0), data(made), reference(1),
                        "type: int", "size: 4", "is_signed: 1"],
        "var_refs[2]": lat,
        "var_refs[3]": ["flags:", "HIST_FIELD_FL_VAR_REF", "name: next_pid", place(2), data(own), reference(3),
                        pid, "size: 4", "is_signed: 0"],
        "field_vars[0]": [],
        "field_vars[0].var": ["flags:", "HIST_FIELD_FL_VAR", "var.name: next_pid", place(2)],
        "field_vars[0].val": [field, pid, "size: 4", "is_signed: 1"],
        "actions[1].track_data.var_ref": lat,
        "actions[1].track_data.track_var": ["flags:", "HIST_FIELD_FL_VAR", "var.name: __max", place(3), *NUMBER],
        "save_vars[0]": [],
        "save_vars[0].var": ["flags:", "HIST_FIELD_FL_VAR", "var.name: prev_comm", place(4)],
        "save_vars[0].val": ["ftrace_event_field name: prev_comm", "type: char[16]", "size: 256", "is_signed: 0"],
    }  # fmt: skip


def test_triggers_follow_each_other_and_ls_does_not_show_the_file(tracefs: TraceFS) -> None:
    assert tracefs.read(f"{SWITCH}/hist_debug") == ""
    for trigger in ("hist:keys=prev_pid", "hist:keys=next_comm:vals=prev_prio"):
        tracefs.append(f"{SWITCH}/trigger", trigger)
    first, second = tracefs.read(f"{SWITCH}/hist_debug").split("\n\n\n")
    shown = "hist:keys=prev_pid:vals=hitcount:sort=hitcount:size=2048 [active]"
    assert first.startswith(f"# event histogram\n#\n# trigger info: {shown}\n#\n")
    assert parts(second)["fields[1]"][:3] == ["flags:", "VAL: normal u64 value", "ftrace_event_field name: prev_prio"]
    assert parts(second)["fields[2]"][-2:] == ["size: 16", "is_signed: 0"]
    assert "hist_debug" not in tracefs.listdir(SWITCH)
