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
from tests.lib.tables import campaign, entries, entry

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


def test_tables_of_campaigns(tmp_path: Path, emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    before, after = tmp_path / "before", tmp_path / "after"
    campaign(before, entries(20, tracers=["nop", "old"]))
    campaign(after, entries(20, slow=1.2, chance=1, tracers=["nop", "new"]))
    done = emu("diff", str(before), str(after / "table.parquet"))
    lines = [" ".join(line.split()) for line in done.out.decode().splitlines()]
    assert (done.status, done.err) == (1, "")
    assert re.fullmatch(r"outcome hang 0 % 80 % \+80 points \d\.\de-\d\d", lines[1].removeprefix("4 ")), lines
    assert lines[0] == "cpus measure A B change p"
    assert re.fullmatch(r"4 cycles 2\d\d,[\d.]+ [23]\d\d,[\d.]+ \+\d\d\.\d % \d\.\de-\d\d", lines[2]), lines
    assert re.fullmatch(
        r"2 differences by more than chance, 2 others differ \(3 groups of parameters, 20 runs each; Mann-Whitney and Fisher"
        r" tests, two-sided; Tarone's correction, 0.05 for all, \d\.\de-\d\d for each of 4\)",
        lines[3],
    ), lines
    assert lines[4:] == [
        "in all runs: arch x86_64, tracer nop",
        "only A has runs with: tracer old, cpus 1; tracer old, cpus 2; tracer old, cpus 4",
        "only B has runs with: tracer new, cpus 1; tracer new, cpus 2; tracer new, cpus 4",
    ]
    found = json.loads(emu("diff", "--json", "-n", "1", str(before), str(after)).out)
    assert (found["groups"], found["runs"], found["in all"]) == (3, [20, 20], {"arch": "x86_64", "tracer": "nop"})
    (change,) = found["changes"]
    assert change | {"probability": 0} == {
        "parameters": {"cpus": 4}, "measure": "outcome", "value": "hang", "mean": [0, 0.8], "runs": [20, 20], "percent": 80,
        "probability": 0,
    }  # fmt: skip
    assert found["level"] == 0.05 and 0 < change["probability"] <= found["level of one test"]
    assert emu("diff", str(before), str(before)).status == 0
    assert emu("diff", "--level", "1e-12", str(before), str(after)).status == 0


def test_tables_with_one_run_each(tmp_path: Path, emu: Emu) -> None:
    for name, cycles in (("before", 100), ("after", 110)):
        campaign(tmp_path / name, [entry(seed=0, cycles_=cycles, same_=1)])
    done = emu("diff", str(tmp_path / "before"), str(tmp_path / "after"))
    assert (done.status, done.out.decode().splitlines()) == (1, [
        "measure    A    B  change", "cycles   100  110   +10 %", "1 difference (1 group of parameters, one run each)",
        "With one run each, chance cannot be ruled out: let the campaign run several", "seeds.",
    ])  # fmt: skip
    assert "probability" not in json.loads(emu("diff", "--json", *(str(tmp_path / name) for name in ("before", "after"))).out)


def test_what_is_refused_of_tables(tmp_path: Path, emu: Emu) -> None:
    study, other, traces = (tmp_path / name for name in ("study", "other", "traces"))
    campaign(study, [entry(n=1, x_=1), entry(n=3, x_=1)])
    campaign(other, [entry(n=2, x_=1), entry(n=4, x_=1)])
    traces.mkdir()
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1")
    for words, said in (
        ([study, other], f"{study}, {other}: no runs of one have the parameters of any run of the other (n)"),
        ([traces, study], f"{study} is a table of a campaign, {traces} is none"),
        (["--by", "path", study, study], "--by is for traces: tables are compared by their parameters"),
        ([study, tmp_path / "damaged.parquet"], f"{tmp_path / 'damaged.parquet'} is no table of a campaign, or is damaged"),
        ([study, tmp_path / "none.parquet"], f"cannot read {tmp_path / 'none.parquet'}: No such file or directory"),
    ):
        assert emu("diff", *map(str, words)) == (2, b"", f"emu: {said}\n")
