# SPDX-License-Identifier: GPL-2.0-only
"""emu sweep: its parameters, what it measures, and that what is measured is what `emu stat` and `emu run` show."""

from __future__ import annotations

import csv
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from emu.campaign import read_table
from emu.campaign.unit import Unit
from emu.campaign.worker import perform_unit
from emu.cli.sweep import sweep_units
from emu.cli.sweep.plan import plan_of
from emu.cli.sweep.plan_file import PlanFile
from emu.machine import Machine
from tests.cli.conftest import Emu
from tests.lib.linux_kernel import kernel_for_tests

LS = "ls /bin | wc -l"
OPTION = "option of emu run that a sweep can vary"
FOREVER = "while :; do :; done"


def measured(command: str, measure: list[str], **parameters: Any) -> dict[str, Any]:
    """What one run measures, done here."""
    (unit,) = sweep_units(command, {name: [value] for name, value in parameters.items()}, measure)
    done = perform_unit(unit)
    assert done.measures is not None, done.failed
    return dict(done.measures)


# The command


def test_a_sweep(emu: Emu, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    words = ("sweep", "-o", str(folder), "--workers", "1", "seed=0..2", "p=nop,function", "--plot", "p,cycles", "--", LS)
    first = emu(*words)
    assert first.status == 0 and "6 of 6 runs" in first.err
    assert b"function" in first.out and "±".encode() in first.out
    files = ("table.parquet", "table.csv", "plot.svg", "plot.png")
    before = {name: (folder / name).read_bytes() for name in files}
    again = emu(*words)
    assert (again.status, again.out) == (0, first.out)
    assert {name: (folder / name).read_bytes() for name in files} == before
    rows = [*csv.DictReader((folder / "table.csv").read_text().splitlines())]
    assert [(row["seed"], row["p"]) for row in rows] == [(f"{seed}", p) for seed in range(3) for p in ("function", "nop")]
    said = emu("stat", "--seed", "1", "-e", "cycles,instructions", "--set", "current_tracer=function", "--", LS).err
    counts = {name: number.replace(",", "") for number, name in re.findall(r"([\d,]+) +(cycles|instructions)", said)}
    assert counts == {name: rows[2][name] for name in counts} and len(counts) == 2


def test_what_fails_and_what_is_found(emu: Emu, tmp_path: Path) -> None:
    """A CPU too many is a failure; a command that fails and one that does not end are results."""
    words = ("sweep", "-o", str(tmp_path / "study"), "--workers", "1", "cpus=1,99", "limit=100ms", f"what=false,{FOREVER},true")
    done = emu(*words, "-m", "instructions", "--", "{what}")
    assert done.status == 1
    assert "emu: 3 failed, the first with cpus 99, limit 100ms, what " in done.err and "99 CPUs: x86_64 has 1 to 8\n" in done.err
    assert "3 of 6 runs" in done.err and "3 failed; the same command tries them again" in done.err
    rows = read_table(tmp_path / "study" / "table.parquet").rows()
    found = {row["what"]: (row["outcome"], row["status"]) for row in rows}
    assert found == {"false": ("ended", 1), "true": ("ended", 0), FOREVER: ("limit", None)}


def test_ctrl_c_at_a_terminal(tmp_path: Path) -> None:
    """Which all processes of the group get, twice: one line, nothing is left over, and the same command goes on."""
    words = ["sweep", "-o", str(tmp_path), "--workers", "1", "seed=0..99", "-m", "cycles", "--", "true"]
    sweep = subprocess.Popen([sys.executable, "-m", "emu", *words], start_new_session=True, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "journal").exists() or (tmp_path / "journal").read_bytes().count(b"\n") < 3:
        assert sweep.poll() is None
        time.sleep(0.05)
    for _ in range(2):
        os.killpg(sweep.pid, signal.SIGINT)
    _, said = sweep.communicate()
    assert sweep.returncode == 130
    assert re.fullmatch(rf"emu: \d+ of 100 runs in {tmp_path}, [\d.]+ s of CPUs; the same command goes on\n", said)
    assert {path.name for path in tmp_path.iterdir()} == {"journal", "table.csv", "table.parquet"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("seed=0..x -- ls", "seed=0..x: Invalid value for '--seed': '0..x' is not a valid integer."),
        ("sed=1 -- ls", f"'sed' is no {OPTION}, and {{sed}} is not in the command; did you mean seed?"),
        ("seed=1", "there is no command: -- COMMAND is needed"),
        ("ls -- ls", "'ls' is no parameter: NAME=VALUE,... is needed, and -- before the command"),
        ("seed=1,1 -- ls", "seed: a value occurs twice"),
        ("seed=1 seed=2 -- ls", "seed: it was given twice"),
        ("seed=5..1 -- ls", "seed=5..1: FIRST..LAST or FIRST..LAST..STEP is needed, the last not below the first"),
        ("seed=0..99999999 -- ls", "seed=0..99999999: these are more than 10,000,000 values"),
        ("seed=0..9999 quantum=1..9999 -- ls", "these are 99,990,000 runs; 1,000,000 are possible"),
        ("arch=arm -- ls", "unknown architecture 'arm' (known: x86_64, sparc64, riscv64)"),
        ("F=maybe -- ls", "F=maybe: yes or no is needed"),
        ("host-limit=3 -- ls", "host-limit is no parameter of a sweep: what a run finds would depend on the host"),
        ("share=/tmp:rw -- ls", "share=/tmp:rw: --share DIR:rw: the runs of a sweep change no file of the host"),
        ("share=/nosuch -- ls", "cannot read /nosuch: No such file or directory"),
        ("-m cycels -- ls", "-m: there is no event 'cycels'; did you mean cycles?"),
        ("-m fiel:x -- ls", "-m fiel:x: there is no such measure; did you mean file?"),
        ("-m output:x=[ -- ls", "-m output:x=[: unterminated character set at position 0"),
        ("-m output:x=y -- ls", "-m output:x=y: the expression needs a group, as in 'real (.*)'"),
        ("nosuch.toml", "cannot read nosuch.toml: No such file or directory"),
        ("-m output:status=(.*) -- ls", "-m output:status=(.*): the column status is of each run already"),
        ("seed=1 -m output:seed=(.*) -- ls", "-m output:seed=(.*): the column seed is of the parameter seed already"),
        ("outcome=1 -- {outcome}", "outcome: a column of each run has this name"),
        ("-m cycles -m output:cycles=(.) -- ls", "-m output:cycles=(.): the column cycles is an event already"),
        ("--plot seed,cyles seed=1,2 -- ls", "--plot: the table will have no column 'cyles'; did you mean cycles?"),
        ("--limit nan seed=1 -- ls", "--limit nan: a number of hours is needed"),
        ("--tls-key k seed=1 -- ls", "--tls-ca-file, --tls-cert and --tls-key need --scheduler"),
        ("--plot x seed=1 -- ls", "--plot x: X,Y is needed"),
        ("--scheduler nowhere seed=1 -- ls", "cannot reach the scheduler nowhere: missing port number in address 'nowhere'"),
    ],
)
def test_what_is_refused(emu: Emu, tmp_path: Path, words: str, said: str) -> None:
    done = emu("sweep", "-o", str(tmp_path / "study"), *words.split())
    assert (done.status, done.err) == (2, f"emu: {said}\n")


# Parameters


def parameters_of(text: str, *given: str, command: str = "ls", folder: Path) -> list[dict[str, Any]]:
    path = folder / "plan.toml"
    path.write_text(text)
    return [{**unit.parameters, **unit.given} for unit in plan_of(PlanFile.read(path), given, [], ()).units()]


def test_a_file(tmp_path: Path) -> None:
    text = """
    command = ["busy", "{n}", "2"]
    measure = ["cycles"]
    [parameters]
    seed = "0..1"
    e = [["sched:sched_switch", "irq"], ""]
    F = [true, false]
    "append:slow" = 1
    "set:max_graph_depth" = [3]
    n = [0.5]
    """
    found = parameters_of(text, "seed=7", folder=tmp_path)  # the command line wins
    assert [(row["e"], row["F"], row["seed"], row["n"]) for row in found] == [
        (e, follow, 7, 0.5) for e in ("sched:sched_switch irq", "") for follow in ("yes", "no")
    ]
    words = "-e sched:sched_switch -e irq -F --set max_graph_depth=3 --seed 7 --append slow=1"
    assert found[0]["words"] == words.split() and found[0]["command"] == ["busy", "0.5", "2"]
    assert found[3]["words"] == ["--set", "max_graph_depth=3", "--seed", "7", "--append", "slow=1"]


def test_names_in_the_command_are_replaced_once(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text("command = 'echo {a} {b} ${c}'")
    (unit,) = plan_of(PlanFile.read(path), ["a={b}", "b={a}"], [], ()).units()
    assert unit.given["command"] == ["echo {b} {a} ${c}"]


def test_an_option_may_be_repeated(tmp_path: Path) -> None:
    found = parameters_of("command = 'ls'", "e=sched,irq", "e=syscalls", "seed=1..9..4", folder=tmp_path)
    assert [(row["e"], row["e.2"], row["seed"]) for row in found] == [
        (e, "syscalls", seed) for e in ("sched", "irq") for seed in (1, 5, 9)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("command = ", "Invalid value (at end of document)"),
        ("comand = 'ls'", "'comand' is unknown; did you mean command?"),
        ("command = [1]", "command must be a text or a list of texts"),
        ("measure = 'cycles'", "measure must be a list of texts"),
        ("parameters = 1", "parameters must be a table"),
        ("command = 'ls'\nparameters.seed = []", "seed: it has no values"),
        ("command = 'ls'\nparameters.seed = [{}]", "seed: {} is no text, number or truth value"),
    ],
)
def test_a_file_that_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(Exception, match=re.escape(said)):
        parameters_of(text, folder=tmp_path)


def test_inputs_are_known_by_their_contents(tmp_path: Path) -> None:
    """A unit of a changed file is another; where the files of two units are does not matter... but in their words."""
    (tmp_path / "share").mkdir()
    (tmp_path / "share" / "file").write_text("one")
    (before,) = sweep_units("ls", {"share": [str(tmp_path / "share")]})
    (tmp_path / "share" / "file").write_text("two")
    (after,) = sweep_units("ls", {"share": [str(tmp_path / "share")]})
    assert before.key != after.key
    assert perform_unit(before).failed == f"{tmp_path / 'share'} has other contents than when the campaign began"


# Measures


def test_counts_and_output() -> None:
    found = measured("echo real 12; ls /bin", ["counts", "output:time=real (.*)", "output:none=(absent)", "output"], cpus=2)
    assert found["time"] == 12 and found["none"] is None and found["output"].startswith("real 12\n")
    with Machine(cpus=2, timing="caches") as m, m.counting() as counts:
        m.run("echo real 12; ls /bin")
    assert (found["cycles"], found["duration_time"]) == (counts["cycles"], counts.nanoseconds)


def test_a_latency(emu: Emu) -> None:
    found = measured("ls | cat", [], p="irqsoff")
    said = emu("run", "-p", "irqsoff", "--max-latency", "--timing", "caches", "--", "ls | cat").out.decode()
    assert said.endswith(f"==> tracing_max_latency <==\n{found['latency']}\n")


def test_a_histogram() -> None:
    event = "sched:sched_switch"
    found = measured("ls | cat", [f"hist:{event}", "events"], e=event, R="hist:keys=next_comm:vals=next_prio")
    hits = {name: value for name, value in found.items() if name.endswith(":hitcount")}
    assert found["sched_switch{next_comm: cat}:next_prio"] == 120 * hits["sched_switch{next_comm: cat}:hitcount"]
    assert sum(hits.values()) == found["sched_switch:Hits"] >= found["events"] > 5 and found["lost"] == 0


def test_times_of_functions_are_those_of_all_calls(tmp_path: Path) -> None:
    """However small the buffers are."""
    found = measured("ls /bin", ["top:vfs_*", "events"], p="function_graph", b=4)
    assert (found["lost"], measured("ls /bin", ["events"], p="function_graph", b=4)["lost"] > 0) == (0, True)
    with Machine(timing="caches") as m:
        m.tracefs.write("buffer_size_kb", "10000")
        m.tracefs.write("tracing_on", "0")
        m.tracefs.write("current_tracer", "function_graph")
        m.run("ls /bin", trace=True)
        calls = m.trace().calls
        assert found["events"] == len(m.trace())
    of = calls["function"] == "vfs_open"
    assert found["vfs_open:calls"] == int(of.sum()) > 0 and found["vfs_open:total"] > found["vfs_open:self"] > 0


def test_what_cannot_be_measured() -> None:
    def failure(measure: str, **parameters: Any) -> str:
        (unit,) = sweep_units("true", {name: [value] for name, value in parameters.items()}, [measure])
        return perform_unit(unit).failed

    assert failure("hist:sched:sched_switch").startswith("hist: sched:sched_switch has no histogram; ")
    assert failure("top:*") == "top: the tracer nop records no calls; p=function and p=function_graph do"
    assert failure("latency", p="function").startswith("latency: the tracer function measures none; p=irqsoff, ")
    assert failure("hist:sched:nosuch") == "events/sched/nosuch/hist: there is no 'nosuch' here"
    assert failure("branch-misses", timing="static") == "the timing model static does not count branch-misses"
    assert failure("file:nosuch") == "nosuch: there is no 'nosuch' here"
    assert failure("cycles", p="funtion").startswith("-p: there is no tracer 'funtion'")


# Warm machines


def variety() -> list[Unit]:
    """Runs that leave a machine in all kinds of states: traced, probed, panicked, at a limit, with files in the guest."""
    parts = [
        sweep_units(LS, {"p": ["nop", "function", "function_graph", "irqsoff"], "seed": [0, 1]}),
        sweep_units("touch /tmp/x; ls /tmp; echo $$", {"e": ["", "sched"]}, ["counts", "output"]),
        sweep_units(FOREVER, {"limit": ["20ms"]}),
        sweep_units("echo c > /proc/sysrq-trigger", {"p": ["nop", "function"]}),
        sweep_units("ls", {"set": ["kprobe_events=p:reads vfs_read"], "e": ["kprobes:reads"]}, ["events", "counts"]),
        sweep_units("cd /sys/kernel/tracing; echo 1 > options/stacktrace; echo function > current_tracer; ls", {"seed": [1]}),
    ]
    return [unit for part in parts for unit in part]


def test_a_warm_worker_s_units_are_a_fresh_one_s() -> None:
    """Each alone, on a machine that was just booted, and then all of them on the same machines, in any order."""
    from emu.cli.sweep import unit as sweep_unit

    fresh = {}
    for unit in variety():
        sweep_unit.close_machines()
        fresh[unit.key] = perform_unit(unit)[:2]
    assert not [failed for _, failed in fresh.values() if failed]
    outcomes = {str(measures["outcome"]) for measures, _ in fresh.values() if measures}
    assert outcomes == {"ended", "limit", "panicked"}
    shuffled = 2 * variety()
    random.Random(0).shuffle(shuffled)
    for unit in shuffled:
        assert perform_unit(unit)[:2] == fresh[unit.key], unit


@pytest.mark.long("four boots of Linux")
def test_runs_on_a_linux_are_the_same_whatever_was_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Booted afresh, from a machine on disk, after another run; and no tracer changes them."""
    monkeypatch.setattr("emu.linux.store.cache_directory", lambda: tmp_path)
    parameters = {"linux": [str(kernel_for_tests())], "p": ["nop", "function_graph"]}
    units = sweep_units("ls /proc | wc -l", parameters, ["counts", "output"])
    first = [perform_unit(unit) for unit in units]
    assert first[0].measures and first[0].measures == first[1].measures
    assert [perform_unit(unit).measures for unit in reversed(units)] == [done.measures for done in reversed(first)]


def test_a_machine_is_not_kept_when_its_files_have_changed(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    for content in (b"first", b"other"):
        disk.write_bytes(content.ljust(4096, b"\0"))
        assert measured("head -c 5 /dev/ram0", ["output"], ramdisk=str(disk))["output"] == content.decode()


def test_a_fresh_process_measures_the_same() -> None:
    (unit,) = sweep_units(LS, {"p": ["function_graph"], "seed": [1]})
    perform_unit(unit)
    script = f"""
from emu.campaign.unit import Unit
from emu.campaign.worker import perform_unit
print(perform_unit({unit!r}).measures)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == f"{perform_unit(unit).measures}\n"
