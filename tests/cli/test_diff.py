# SPDX-License-Identifier: GPL-2.0-only
"""emu diff and emu run --repeat."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

from emu.trace import Trace
from emu.trace.comparison import compare
from tests.cli.conftest import Emu

MODULE = "modprobe preemptirq_delay_test delay={}; sleep 0.001"


def repeat(emu: Emu, folder: Path, *arguments: str) -> None:
    assert emu("run", "-p", "function_graph", "-o", str(folder), *arguments).status == 0


def test_a_function_that_a_parameter_makes_slower_is_found_in_sets(tmp_path: Path, emu: Emu) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    repeat(emu, before, "--repeat", "10", "--timing", "pipeline", "--", MODULE.format(20))
    repeat(emu, after, "--repeat", "10", "--timing", "pipeline", "--seed", "95", "--", MODULE.format(21))
    assert [file.name for file in sorted(after.iterdir())] == [f"{seed:03}.dat" for seed in range(95, 105)]
    done = emu("diff", "--json", str(before), str(after))
    found = json.loads(done.out)
    assert (done.status, found["runs"]) == (1, [10, 10])
    assert [(change["kind"], change["path"][-1]) for change in found["changes"]] == [("slower", "busy_wait")]
    shown = emu("diff", "--by", "function", str(before), str(after)).out.decode().splitlines()
    assert shown[1].split()[0] == "slower" and shown[1].endswith(" busy_wait")
    assert shown[2].startswith("1 of ")
    runs = [Trace.open(file) for file in sorted(before.iterdir())[:6]]
    alarms = [pair for pair in itertools.combinations(runs, 2) if compare(pair[:1], pair[1:]).changes]
    assert len(alarms) <= 3  # 15 pairs, in each with a probability of 0.05
    assert emu("reproduce", str(after / "100.dat")).status == 0


def test_other_architectures_and_timings_differ(tmp_path: Path, emu: Emu) -> None:
    files = {}
    for name, options in (
        ("static", ["--timing", "static"]), ("caches", ["--timing", "caches"]), ("sparc64", ["--arch", "sparc64"]),
    ):  # fmt: skip
        files[name] = str(tmp_path / f"{name}.dat")
        assert emu("record", *options, "-p", "function_graph", "-o", files[name], "--", "ls /bin | wc -l").status == 0
    changes = {}
    for name in ("caches", "sparc64"):
        done = emu("diff", "--by", "function", "--json", files["static"], files[name])
        assert done.status == 1
        changes[name] = {(change["kind"], change["path"][0]) for change in json.loads(done.out)["changes"]}
    assert ("slower", "exc_page_fault") in changes["caches"] or ("slower", "handle_mm_fault") in changes["caches"]
    assert {kind for kind, _ in changes["caches"]} <= {"slower", "faster"}  # the same kernel has done the same
    assert ("vanished", "exc_page_fault") in changes["sparc64"]
    same = emu("diff", files["static"], files["static"])
    assert same.status == 0
    assert same.out.decode().startswith("none of ") and ", 0 others differ (1 run each; Mann-Whitney" in same.out.decode()


def test_what_is_refused(tmp_path: Path, emu: Emu) -> None:
    calls, events, empty = (tmp_path / name for name in ("calls.dat", "events.dat", "empty"))
    emu("record", "-p", "function_graph", "-g", "sys_read", "-o", str(calls), "--", "cat /proc/version")
    emu("record", "-e", "sched", "-o", str(events), "--", "true")
    empty.mkdir()
    for words, said in (
        ([empty, calls], f"{empty}: no file *.dat is in this folder"),
        ([calls, events], f"{events}: no calls were recorded; `emu record -p function_graph` records them"),
        ([calls, tmp_path / "none"], f"cannot read {tmp_path / 'none'}: No such file or directory"),
        ([tmp_path, calls], f"{events}: no calls were recorded; `emu record -p function_graph` records them"),
    ):
        done = emu("diff", *map(str, words))
        assert (done.status, done.out, done.err) == (2, b"", f"emu: {said}\n")
    for words, said in (
        (["--repeat", "2", "--", "true"], "--repeat needs -o FOLDER, for the recordings"),
        (["--repeat", "2", "-o", str(tmp_path), "--", "true"], f"{tmp_path} is not empty: --repeat wants a folder of its own"),
        (["--repeat", "2", "-o", str(calls), "--", "true"], f"cannot make the folder {calls}: File exists"),
        (["--repeat", "2", "--stack", "-o", str(empty), "--", "true"],
         "a trace.dat has no place for --stack, --profile and --max-latency"),
    ):  # fmt: skip
        done = emu("run", *words)
        assert (done.status, done.err) == (2, f"emu: {said}\n")
