# SPDX-License-Identifier: GPL-2.0-only
"""Tables of errors, from stored measurements and from stored predictions of peers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from calibration import stored
from calibration.blocks.bodies import carries_through_memory, disassembly
from calibration.blocks.entries import Block, blocks_of
from calibration.blocks.rows import row_code, rows_of
from calibration.errors import errors
from calibration.events.model import model_events
from calibration.models import Model, instructions, static_cycles
from calibration.peers import stored_answers
from calibration.programs.measure import machine_for, model_cycles, programs_of

__all__ = ["block_table", "event_table", "program_table", "row_table", "worst_blocks"]

Predictor = Callable[[bytes], float | None]  # None: the tool could not read the block
_HEADER = f"{'':24}{'n':>6}{'mean':>9}{'median':>9}{'tau':>8}{'signed':>8}{'sum':>8}"


def _predictors(machine: str, model: Model) -> dict[str, Predictor]:
    found: dict[str, Predictor] = {
        model.core.name: lambda code: model.cycles([code]),
        "static": static_cycles,
        "instructions / 4": lambda code: instructions(code) / 4,
    }
    return found | {name: known.get for name, known in stored_answers(machine).items()}


def _line(name: str, predicted: Sequence[float], measured: Sequence[float]) -> str:
    found = errors(predicted, measured)
    return f"{name:24}{found.number:6}{found.mean:9.1%}{found.median:9.1%}{found.tau:8.3f}{found.signed:+8.1%}{found.bias:+8.0%}"


def block_table(machine: str, model: Model, held_out: bool) -> Iterator[str]:
    """The errors for single blocks, by origin.

    Args:
        machine: where they were measured.
        model: the model that is compared.
        held_out: whether to use the half that is not looked at while tuning.
    """
    judged = [block for block in blocks_of(machine) if block.held_out == held_out and not block.may_meet]
    predictors = _predictors(machine, model)
    alone = [block for block in judged if not carries_through_memory(block.code)]
    for title, blocks, origins in (
        ("kernel", judged, ["kernel"]), ("programs", judged, ["programs"]), ("all", judged, ["kernel", "programs"]),
        ("all that load nothing they have stored before", alone, ["kernel", "programs"]), ("special", judged, ["special"]),
    ):  # fmt: skip
        chosen = [block for block in blocks if block.origin in origins]
        unknown = sum(not model.known(block.code) for block in chosen)
        yield f"Blocks, {title} ({len(chosen)}; {unknown} have instructions that {model.core.name} does not know)"
        yield _HEADER
        for name, predictor in predictors.items():
            found = [(predicted, block.cycles) for block in chosen if (predicted := predictor(block.code)) is not None]
            yield _line(name, [p for p, _ in found], [m for _, m in found])
        yield ""


def row_table(machine: str, model: Model, held_out: bool) -> Iterator[str]:
    """The errors for rows of blocks, by the way in which the costs of blocks are combined."""
    rows = [row for row in rows_of(machine) if row.held_out == held_out]
    measured = {block.code: block.cycles for block in blocks_of(machine)}
    cycles = [row.cycles for row in rows]
    yield f"Rows of {len(rows[0].blocks)} blocks of the kernel, measured as a whole ({len(rows)})"
    yield _HEADER
    yield _line(f"{model.core.name}: composed", [model.cycles(row.blocks) for row in rows], cycles)
    yield _line(f"{model.core.name}: added up", [sum(model.cycles([code]) for code in row.blocks) for row in rows], cycles)
    yield _line("as measured, added up", [sum(measured[code] for code in row.blocks) for row in rows], cycles)
    yield _line("static", [sum(map(static_cycles, row.blocks)) for row in rows], cycles)
    yield _line("instructions / 4", [sum(map(instructions, row.blocks)) / 4 for row in rows], cycles)
    for name, known in stored_answers(machine).items():
        found = [(answer, row.cycles) for row in rows if (answer := known.get(row_code(row.blocks))) is not None]
        if found:
            yield _line(f"{name}: as one", [p for p, _ in found], [m for _, m in found])
    yield ""


def program_table(machine: str, model: Model, held_out: bool, timings: Sequence[str]) -> Iterator[str]:
    """The errors for whole programs, which are run for this table.

    Args:
        machine: where they were measured.
        model: its CPU model is the machine's.
        held_out: whether to use the half that is not looked at while tuning.
        timings: timing models of the machine.
    """
    programs = [program for program in programs_of(machine) if program.held_out == held_out]
    answers: dict[str, dict[str, int]] = {}
    for timing in timings:
        parameters = {"timing": timing} | ({} if timing == "static" else {"cpu_model": model.core.name})
        for busybox in (False, True):
            with machine_for(busybox, **parameters) as guest:
                for program in programs:
                    if program.case.busybox == busybox:
                        answers.setdefault(program.case.name, {})[timing] = model_cycles(guest, program.case)
    yield f"Programs ({len(programs)}), millions of cycles; * spends its time with memory"
    yield f"{'':36}{'measured':>10}" + "".join(f"{timing:>10}{'':>8}" for timing in timings)
    for program in programs:
        found = answers[program.case.name]
        cells = "".join(f"{found[t] / 1e6:10.1f}{found[t] / program.cycles - 1:+8.0%}" for t in timings)
        yield f"{program.case.name + ' *' * program.case.memory:36}{program.cycles / 1e6:10.1f}{cells}"
    yield _HEADER
    for timing in timings:
        for title, chosen in (("", programs), (", memory", [p for p in programs if p.case.memory])):
            predicted = [answers[program.case.name][timing] for program in chosen]
            yield _line(timing + title, predicted, [program.cycles for program in chosen])
    yield ""


def event_table(machine: str, model: Model) -> Iterator[str]:
    """The measured cost of events, and the cost in the model `caches` for events that need no operating system. CPUs of the model
    take turns, so an event that involves several of them has a line for each length of turns, in instructions."""
    data = stored.load(machine, "events")
    answers: dict[str, list[tuple[str, float]]] = {}
    for event in model_events(model.core):
        answers.setdefault(event.name, []).append((event.turns, event.cycles))
    yield f"{'Events':68}{'cycles':>10}{'quartiles':>20}{model.core.name:>10}"
    for name, cycles, lower, upper in data["entries"]:
        found = answers.get(name, [])
        alone = "".join(f"{answer:10.1f}" for turns, answer in found if not turns)
        yield f"{name:68}{cycles:10.1f}{lower:10.1f}{upper:10.1f}{alone}"
        for turns, answer in found:
            if turns:
                yield f"{'    turns of ' + turns:98}{answer:10.1f}"
    yield ""


def worst_blocks(machine: str, model: Model, count: int) -> Iterator[str]:
    """The blocks with the model's largest errors, not held out, one per line: measured and predicted cycles."""
    predictors = _predictors(machine, model)

    def error(block: Block) -> float:
        return abs(model.cycles([block.code]) - block.cycles) / block.cycles

    judged = [block for block in blocks_of(machine) if not block.held_out and not block.may_meet]
    names = [name for name in predictors if name not in ("static", "instructions / 4")]
    yield "  ".join(["measured", *names])
    for block in sorted(judged, key=error, reverse=True)[:count]:
        answers = {name: predictors[name](block.code) for name in names}
        cycles = "  ".join(f"{answer:6.2f}" if answer is not None else "     -" for answer in answers.values())
        yield f"{block.cycles:6.2f}  {cycles}  {block.origin}: {disassembly(block.code)}"
