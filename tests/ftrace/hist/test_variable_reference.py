# SPDX-License-Identifier: GPL-2.0-only
"""Variables and actions over random events of two kinds, compared with a short implementation in Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from emu.ftrace.tracefs import TraceFS
from emu.machine import Machine

WAKING, SWITCH, MADE = "events/sched/sched_waking", "events/sched/sched_switch", "events/synthetic/made"
U64 = (1 << 64) - 1
Entry = Mapping[str, int | str]
Values = Mapping[str, int]

# Forms of the variable x of the switch: its text, the variables it reads, whether it unsets them, and its value
FORMS: Sequence[tuple[str, str, bool, Callable[[Entry, Values], int]]] = (
    ("$a", "a", False, lambda entry, of: of["a"]),
    ("next_prio-$a", "a", True, lambda entry, of: int(entry["next_prio"]) - of["a"]),
    ("$b+next_prio*3", "b", True, lambda entry, of: of["b"] + int(entry["next_prio"]) * 3),
    ("-($a+$b)", "ab", True, lambda entry, of: -(of["a"] + of["b"])),
    ("next_prio", "", False, lambda entry, of: int(entry["next_prio"])),
)


@dataclass(frozen=True)
class Case:
    """Triggers and events. `also`: whether the variable a has another name. `handler`: of the action that creates the event."""

    form: int
    also: bool
    handler: str
    events: Sequence[tuple[bool, Entry]]

    @property
    def trigger(self) -> str:
        also = ",y=$a" if self.also else ""
        makes = f"{self.handler}.made($x,next_pid,sched.sched_waking.$c,sched.sched_waking.target_cpu,next_comm)"
        return f"hist:keys=next_pid:x={FORMS[self.form][0]}{also}:{makes}:onmax($x).save(next_prio,next_comm)"

    def expected(self) -> tuple[list[str], list[str]]:
        """The synthetic events, and the rows of the switch's table."""
        _, names, once, value = FORMS[self.form]
        woken: dict[int, dict[str, int]] = {}
        texts: dict[int, tuple[str, int]] = {}
        rows: dict[int, dict[str, int | str]] = {}
        made = []
        for is_waking, entry in self.events:
            pid = int(entry["pid"])
            if is_waking:
                woken[pid] = {"a": int(entry["prio"]), "b": int(entry["target_cpu"])}
                texts[pid] = str(entry["comm"])[:15], int(entry["target_cpu"])
                continue
            known = woken.get(pid)
            of: dict[str, int] = {}
            for name in dict.fromkeys([*names, *("a" if self.also else "")]):
                if known is None or name not in known:
                    break
                of[name] = known.pop(name) if once and name in names else known[name]
            else:
                if known is not None:
                    made += self._count(entry, value(entry, of) & U64, texts[pid], rows.setdefault(pid, {}))
        return made, [self._row(pid, row) for pid, row in sorted(rows.items(), key=lambda item: int(item[1]["count"]))]

    def _row(self, pid: int, row: Mapping[str, int | str]) -> str:
        """As in Linux, the saved fields follow the value of each action."""
        saved = f"  next_prio: {row.get('prio', 0):>10}  next_comm: {row.get('comm', ''):<32}"
        greatest = f"\tmax: {row.get('max', 0):>10}{saved}\n"
        first = {"onmax($x)": greatest, "onchange($x)": f"\tchanged: {row['latest']:>10}{saved}\n"}.get(self.handler, "")
        return f"{{ next_pid: {pid:>10} }} hitcount: {row['count']:>10}\n{first}{greatest}"

    def _count(self, entry: Entry, x: int, text: tuple[str, int], row: dict[str, int | str]) -> list[str]:
        row["count"] = int(row.get("count", 0)) + 1
        latest, greatest = int(row.get("latest", 0)), int(row.get("max", 0))
        acts = {"onchange($x)": x != latest, "onmax($x)": x > greatest}.get(self.handler, True)
        row["latest"] = x
        if x > greatest:
            row |= {"max": x, "prio": int(entry["next_prio"]), "comm": str(entry["next_comm"])[:15]}
        signed = (x & 0xFFFF_FFFF ^ 1 << 31) - (1 << 31)
        comm, cpu = text
        return [f"x={signed} pid={entry['pid']} c={comm} cpu={cpu} comm={str(entry['next_comm'])[:15]}"] if acts else []


comms = st.sampled_from(("sh", "kworker/u8:1-ev", "a b", "a name that is too long"))
pids, small = st.integers(1, 3), st.integers(0, 4)
wakings = st.fixed_dictionaries({"pid": pids, "prio": small, "target_cpu": small, "comm": comms})
switches = st.fixed_dictionaries({"pid": pids, "next_prio": small, "next_comm": comms})
events = st.tuples(st.just(True), wakings) | st.tuples(st.just(False), switches)
handlers = st.sampled_from(("onmatch(sched.sched_waking)", "onmax($x)", "onchange($x)"))
cases = st.builds(Case, st.sampled_from(range(len(FORMS))), st.booleans(), handlers, st.lists(events, max_size=12))


@settings(max_examples=25, deadline=None)
@given(cases)
def check(tracefs: TraceFS, case: Case) -> None:
    tracefs.write("synthetic_events", "made int x; pid_t pid; char c[16]; int cpu; char comm[]")
    tracefs.write(f"{WAKING}/trigger", "hist:keys=pid:a=prio,b=target_cpu:c=comm")
    tracefs.write(f"{SWITCH}/trigger", case.trigger)
    tracefs.write(f"{MADE}/enable", "1")
    tracefs.write("trace", "")
    for is_waking, entry in case.events:
        fields = {"pid" if is_waking else "next_pid": entry["pid"], **{name: entry[name] for name in entry if name != "pid"}}
        text = " ".join(f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}" for name, value in fields.items())
        tracefs.write(f"{WAKING if is_waking else SWITCH}/inject", text)
    made = re.findall(r" made: (.*)", tracefs.read("trace"))
    rows = tracefs.read(f"{SWITCH}/hist").partition("#\n\n")[2].partition("\nTotals")[0]
    tracefs.append(f"{SWITCH}/trigger", f"!{tracefs.read(f'{SWITCH}/trigger').removesuffix(' [active]' + chr(10))}")
    tracefs.append(f"{WAKING}/trigger", "!hist:keys=pid:a=prio,b=target_cpu:c=comm")
    tracefs.write(f"{MADE}/enable", "0")
    assert (made, rows) == (case.expected()[0], "".join(case.expected()[1]))


def test_random_events_are_what_python_makes_of_them(booted: Machine) -> None:
    check(booted.tracefs)
    assert booted.tracefs.read(f"{WAKING}/trigger").startswith("#")
