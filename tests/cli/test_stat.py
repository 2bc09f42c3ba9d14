# SPDX-License-Identifier: GPL-2.0-only
"""emu stat: its output has the layout of perf stat, and the right counts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from emu.cli.stat import json_lines, text
from emu.cli.stat.events import SHOWN, Remark
from emu.cli.stat.results import Figure, Results, Run
from emu.cpu.timing import TimingNames
from tests.cli.conftest import Emu
from tests.lib.golden import read_golden

ROW = re.compile(
    r"(?:CPU(?P<cpu>\d) +)? *(?P<value>[\d.,]+|<not supported>) +(?P<event>\S+)"
    r"(?: +#(?P<remark> +[\d.]+%?) +(?P<unit>\S.*?))?(?: +\( \+- *(?P<noise>[\d.]+)% \))?"
)


def golden(name: str) -> str:
    return read_golden(f"perf-stat-{name}")


def counts(said: str) -> Mapping[str, int]:
    """The rows without a CPU."""
    rows = (ROW.fullmatch(line) for line in said.splitlines())
    return {row["event"]: int(row["value"].replace(",", "")) for row in rows if row and row["value"][0] != "<"}


# perf's own output


@pytest.mark.parametrize("name", ["one", "runs", "percpu"])
def test_a_row_is_perf_s(name: str) -> None:
    rows = [(line.rstrip(), ROW.fullmatch(line.rstrip())) for line in golden(f"{name}.txt").splitlines()]
    found = [(line, row) for line, row in rows if row is not None]
    assert len(found) == (6 if name == "percpu" else 3)
    for line, row in found:
        noise = float(row["noise"] or 0)
        figure = None if row["value"][0] == "<" else Figure(float(row["value"]), float(row["value"]) * noise / 100)
        said = Remark(0, row["remark"][1:], row["unit"]) if row["remark"] else None
        assert text.row(figure, row["event"], said, int(row["cpu"]) if row["cpu"] else None) == f"{line}\n"


def test_the_lines_around_are_perf_s() -> None:
    def results(*times: int) -> Results:
        return Results(TimingNames("caches", "zen4"), [Run(time, [{}], None) for time in times])

    model = " (caches, zen4)"
    one, runs = golden("one.txt"), golden("runs.txt")
    assert one.startswith(text.header(["true"], 1))
    assert runs.startswith(text.header(["true"], 3))
    assert f"{text.footer(results(4773615)).replace(model, '').rstrip()}\n" in one
    mean, deviation = 1326000, 54800 * 3**0.5
    said = text.footer(results(round(mean - deviation), mean, round(mean + deviation)))
    assert said.replace(model, "") in runs


@pytest.mark.parametrize("name", ["one", "runs", "percpu"])
def test_an_object_is_perf_s(name: str) -> None:
    lines = [line for line in golden(f"{name}.json").splitlines() if '"unit" : ""' in line]
    assert len(lines) == (6 if name == "percpu" else 3)
    for line in lines:
        members = json.loads(line)
        of = {"cpu": members["cpu"]} if "cpu" in members else {}
        known, noise = members["counter-value"] != "<not supported>", members.get("variance", 0)
        figure = Figure(float(members["counter-value"]), float(members["counter-value"]) * noise / 100) if known else None
        said = Remark(members["metric-value"], "", members["metric-unit"])
        written = json_lines.line(of, figure, members["event"], members["event-runtime"], said, "variance" in members)
        assert written == f"{line}\n"


# emu's own output


def test_all_that_is_counted(emu: Emu, tmp_path: Path) -> None:
    command = ["--cpu-model", "zen4", "--", "echo hi | cat; exit 3"]
    done = emu("stat", *command)
    assert (done.status, done.out) == (3, b"hi\n")
    said = done.err[done.err.index("\n Performance counter stats for 'echo hi | cat; exit 3':\n\n") :]
    found = counts(said)
    assert tuple(found) == SHOWN
    assert all(found[event] for event in SHOWN)
    insn, missed = found["instructions"] / found["cycles"], 100 * found["branch-misses"] / found["branches"]
    assert f"# {insn:7.2f}  insn per cycle\n" in said
    assert f"# {missed:7.2f}% of all branches\n" in said
    assert re.search(r"\n\n +0\.00\d{7} seconds time elapsed \(caches, zen4\)\n\n$", said)
    again = emu("stat", "-o", str(tmp_path / "counts"), *command)
    assert again.out == done.out
    assert again.err + (tmp_path / "counts").read_text() == done.err


def test_functions_and_their_sum(emu: Emu) -> None:
    command = ["--cpu-model", "zen4", "-e", "cycles,traps", "--", "true"]
    table = emu("stat", "--by", "function", "--sort", "branches", "-n", "3", *command).err
    head, *rows = table[table.index("overhead") :].split("\n\n")[0].splitlines()
    assert head.split() == ["overhead", "branches", "cycles", "traps", "function"]
    cells = [row.replace(",", "").split(maxsplit=4) for row in rows]
    assert re.fullmatch(r"\(\d+ more\)", cells[3][4])
    assert len(cells) == 5 and cells[4][0] == "100.00%" and cells[4][4] == "(all)"
    assert [sum(int(row[n]) for row in cells[:4]) for n in (1, 2, 3)] == [int(cell) for cell in cells[4][1:4]]
    assert cells[:3] == sorted(cells[:3], key=lambda row: -int(row[1]))
    lines = emu("stat", "--by", "function", "-j", *command).err
    objects = [json.loads(line) for line in lines.splitlines() if line.startswith("{")]
    assert {"[user] sh", "vfs_open"} < {one["function"] for one in objects}
    for event, cell in (("cycles", cells[4][2]), ("traps", cells[4][3])):
        assert sum(float(one["counter-value"]) for one in objects if one["event"] == event) == int(cell)


def test_several_runs_are_of_several_seeds(emu: Emu) -> None:
    options = ["--timing", "static", "-e", "cycles,duration_time", "-j"]
    single = []
    for seed in ("6", "7"):  # these runs differ
        lines = emu("stat", *options, "--seed", seed, "--", "true").err.splitlines()
        single.append([float(json.loads(line)["counter-value"]) for line in lines])
    lines = emu("stat", *options, "--seed", "6", "-r", "2", "--", "true").err.splitlines()
    both = [float(json.loads(line)["counter-value"]) for line in lines]
    assert both == [sum(pair) / 2 for pair in zip(*single, strict=True)]
    assert both != single[0]
    shown = emu("stat", "--timing", "static", "-e", "cycles", "--seed", "6", "-r", "2", "--", "echo hi")
    assert shown.out == b"hi\nhi\n"
    assert " for 'echo hi' (2 runs):\n" in shown.err
    noise = r"\( \+- +\d\.\d\d% \)"
    assert re.search(rf"cycles +{noise}\n\n +\S+ \+- \S+ seconds time elapsed  {noise} \(static\)\n", shown.err)


def test_each_cpu(emu: Emu) -> None:
    command = ["--timing", "static", "--cpus", "3", "-e", "cycles", "-e", "instructions", "--", "ls | cat > /dev/null"]
    rows = [ROW.fullmatch(line) for line in emu("stat", "-A", *command).err.splitlines()]
    found = [(row["event"], row["cpu"], int(row["value"].replace(",", ""))) for row in rows if row and row["cpu"]]
    assert [row[:2] for row in found] == [(event, cpu) for event in ("cycles", "instructions") for cpu in "012"]
    total = counts(emu("stat", *command).err)
    assert {event: sum(row[2] for row in found if row[0] == event) for event in total} == total


def test_the_static_model_counts_little(emu: Emu, arch: str) -> None:
    timing = ["--timing", "static"] if arch == "x86_64" else []
    said = emu("stat", "--arch", arch, *timing, "--", "true").err
    assert list(counts(said)) == ["cycles", "instructions"]
    assert said.count("   <not supported>      ") == len(SHOWN) - 2
    assert said.endswith("(static)\n\nThe timing model static counts cycles and instructions alone; "
                         "--timing caches\ncounts all events (x86_64).\n")  # fmt: skip


def test_what_was_counted_until_a_limit_is_shown(emu: Emu) -> None:
    done = emu("stat", "--timing", "static", "--limit", "1ms", "--", "spin 1000")
    assert done.status == 124
    assert counts(done.err)["instructions"] > 10_000
    assert "0.001" in done.err and "seconds time elapsed" in done.err and "\nemu: 1 ms of virtual time" in done.err


def test_tracing_can_be_set_up(emu: Emu) -> None:
    command = ["-e", "instructions", "--timing", "static", "--", "cat /sys/kernel/tracing/current_tracer"]
    assert emu("stat", "--set", "current_tracer=function", *command).out == b"function\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-e", "cycles,branch-mises"], "-e: there is no event 'branch-mises'; did you mean branch-misses?"),
        (["-e", ""], "-e: there is no event ''"),
        (["--sort", "cycles"], "--sort orders the rows of --by function"),
        (["--by", "function", "-A"], "--by function and --per-cpu: only one of them can be shown"),
        (["--by", "line"], "Invalid value for '--by'"),
        (["--by", "function", "-e", "duration_time"], "duration_time is not counted by function"),
        (["--by", "function", "--timing", "static"], "--by function: the timing model static does not count by function"),
        (["--by", "function", "--arch", "sparc64"], "--by function: the timing model static does not count by function"),
        (["-r", "0"], "Invalid value for '-r'"),
        (["--timing", "static", "--set", "current_tracer=bogus"], "--set current_tracer: "),
        (["--timing", "exact"], "unknown timing model 'exact' (known: static, pipeline, caches)"),
        (["--timing", "static", "--cpu-model", "zen4"], "a CPU model ('zen4') needs a timing model that follows it"),
        (["--cpu-model", "niagara"], "unknown CPU model 'niagara' of x86_64 (known: "),
        (["--arch", "sparc64", "--timing", "caches"], "sparc64 has no CPU model, which the timing model 'caches' needs"),
        (["--arch", "vax"], "unknown architecture 'vax'"),
        (["-o", "/nosuch/file"], "cannot write /nosuch/file: No such file or directory"),
    ],
)
def test_bad_input_is_one_line(emu: Emu, arguments: list[str], message: str) -> None:
    done = emu("stat", *arguments, "--", "true")
    assert (done.status, done.out) == (2, b"")
    said = [line for line in done.err.splitlines() if "is not known to" not in line]
    assert len(said) == 1 and said[0].startswith(f"emu: {message}"), done.err
