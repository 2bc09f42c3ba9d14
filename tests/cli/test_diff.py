# SPDX-License-Identifier: GPL-2.0-only
"""emu diff and emu run --repeat."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from emu.trace import Trace
from emu.trace.comparison import compare
from tests.cli.conftest import Emu

ONE_RUN = "With one run each, chance cannot be ruled out: use emu run --repeat."
MODULE = "modprobe preemptirq_delay_test delay={}; sleep 0.001"


def repeat(emu: Emu, folder: Path, *arguments: str) -> None:
    assert emu("run", "-p", "function_graph", "-o", str(folder), *arguments).status == 0


@pytest.mark.long("20 recordings; tests/trace/test_comparison.py compares sets without machines")
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
    runs = [Trace.open(file) for file in sorted(before.iterdir())]
    halves = [[runs[n] for n in order] for order in (np.random.default_rng(seed).permutation(10) for seed in range(10))]
    alarms = [half for half in halves if compare(half[:5], half[5:]).changes]
    assert len(alarms) <= 3  # of 10, each with a probability of 0.05
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
    assert ("vanished", "exc_page_fault") in changes["sparc64"]
    same = emu("diff", files["static"], files["static"])
    assert same.status == 0
    assert re.fullmatch(rf"none of [\d,]+ paths differ\n{ONE_RUN}\n", same.out.decode())


def test_of_one_run_each_all_that_differs_is_shown(tmp_path: Path, emu: Emu) -> None:
    files = [tmp_path / f"{seed}.dat" for seed in (0, 1)]
    for seed, file in enumerate(files):
        emu("record", "--seed", str(seed), "-p", "function_graph", "-l", "vfs_*", "-o", str(file), "--", "ls | wc -l")
    traces = [Trace.open(file) for file in files]
    assert all("vfs_read" in trace.calls["function"] for trace in traces)
    differing = {  # one function at a time, as one would do it by hand
        name for name in set(traces[0].calls["function"]) | set(traces[1].calls["function"])
        if len({tuple(trace.calls["self_time"][trace.calls["function"] == name].tolist()) for trace in traces}) > 1
    }  # fmt: skip
    done = emu("diff", "--by", "function", *map(str, files))
    *rows, summary, one_run = done.out.decode().splitlines()
    assert (done.status, one_run) == (1, ONE_RUN)
    assert {row.split()[-1] for row in rows if " vfs_" in row} <= differing
    assert summary == f"{sum(' vfs_' in row for row in rows)} of {len(set(traces[0].calls['function']))} paths differ"
    found = json.loads(emu("diff", "--by", "function", "--json", *map(str, files)).out)
    assert set(found) == {"runs", "paths", "differ below these", "changes"}
    for change in found["changes"]:
        of = [trace.calls["function"] == change["path"][0] for trace in traces]
        assert change["calls"] == [int(some.sum()) for some in of]
        assert change["self"] == [int(trace.calls["self_time"][some].sum()) for trace, some in zip(traces, of, strict=True)]
        assert "probability" not in change


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
        (["--repeat", "2", "-o", str(tmp_path), "--", "true"], f"{tmp_path} is not empty: --repeat needs a folder of its own"),
        (["--repeat", "2", "-o", str(calls), "--", "true"], f"cannot make the folder {calls}: File exists"),
        (["--repeat", "2", "--stack", "-o", str(empty), "--", "true"],
         "a trace.dat has no place for --stack, --profile and --max-latency"),
    ):  # fmt: skip
        done = emu("run", *words)
        assert (done.status, done.err) == (2, f"emu: {said}\n")
