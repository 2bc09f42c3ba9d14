# SPDX-License-Identifier: GPL-2.0-only
"""Tables of errors, from stored measurements and stored predictions of peers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from calibration import stored
from calibration.blocks.bodies import disassembly
from calibration.blocks.entries import Block, blocks_of
from calibration.errors import errors
from calibration.models import Model, instructions, static_cycles

__all__ = ["block_table", "worst_blocks"]

Predictor = Callable[[bytes], float | None]  # None: the tool could not read the block
_HEADER = f"{'':24}{'n':>6}{'mean':>9}{'median':>9}{'tau':>8}{'sum':>8}"


def _peers(machine: str) -> Mapping[str, Mapping[bytes, float]]:
    """Stored predictions of peers."""
    try:
        data = stored.load(machine, "peers")
    except FileNotFoundError:
        return {}
    names = data["columns"][1:]
    return {
        name: {bytes.fromhex(code): cycles[n] for code, *cycles in data["entries"] if cycles[n] is not None}
        for n, name in enumerate(names)
    }


def _predictors(machine: str, model: Model) -> dict[str, Predictor]:
    found: dict[str, Predictor] = {
        model.core.name: lambda code: model.cycles([code]),
        "static": static_cycles,
        "instructions / 4": lambda code: instructions(code) / 4,
    }
    return found | {name: known.get for name, known in _peers(machine).items()}


def _line(name: str, predicted: Sequence[float], measured: Sequence[float]) -> str:
    found = errors(predicted, measured)
    return f"{name:24}{found.count:6}{found.mean:9.1%}{found.median:9.1%}{found.tau:8.3f}{found.bias:+8.0%}"


def block_table(machine: str, model: Model, held_out: bool) -> Iterator[str]:
    """The errors for single blocks, by where they are from.

    Args:
        machine: where they were measured.
        model: that is compared.
        held_out: of the half that is not looked at while tuning.
    """
    judged = [block for block in blocks_of(machine) if block.held_out == held_out and not block.may_meet]
    predictors = _predictors(machine, model)
    for title, origins in (
        ("kernel", ["kernel"]), ("programs", ["programs"]), ("all", ["kernel", "programs"]), ("special", ["special"])
    ):  # fmt: skip
        chosen = [block for block in judged if block.origin in origins]
        unknown = sum(not model.known(block.code) for block in chosen)
        yield f"Blocks, {title} ({len(chosen)}; {unknown} have instructions that {model.core.name} does not know)"
        yield _HEADER
        for name, predictor in predictors.items():
            found = [(predicted, block.cycles) for block in chosen if (predicted := predictor(block.code)) is not None]
            yield _line(name, [p for p, _ in found], [m for _, m in found])
        yield ""


def worst_blocks(machine: str, model: Model, count: int) -> Iterator[str]:
    """The blocks that are looked at which the model is farthest from, a line each: measured and predicted cycles."""
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
