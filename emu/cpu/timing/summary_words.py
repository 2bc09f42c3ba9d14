# SPDX-License-Identifier: GPL-2.0-only
"""Summaries of blocks as the words that native code reads (`emu.cpu.native.timing.summary_record`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from emu.cpu.native.timing import summary_record as at
from emu.cpu.timing import Access, BlockSummary, CalculatedAccess
from emu.cpu.timing.steps import Step, Steps

__all__ = ["LINE_WORDS", "step_words", "words_of"]

LINE_WORDS = 8

_LINE = 64  # bytes
_MASK = 0xFFFF_FFFF_FFFF_FFFF
_MOST_ACCESSES, _MOST_CALCULATED, _MOST_CYCLES = 0xFFFF, 0x7FFF, 0xFFFF_FFFF


def words_of(summary: BlockSummary) -> list[int]:
    """The words of a summary: its header, its accesses, its outputs; whole lines of the host's caches."""
    calculated = list(dict.fromkeys(summary.calculated))[:_MOST_CALCULATED]
    entry, exit_ = _merged(summary.at_entry)[:_MOST_ACCESSES], _merged(summary.at_exit)[:_MOST_ACCESSES]
    accesses = [word for access in (*entry, *exit_) for word in _access(access)]
    accesses += [word for access in calculated for word in _calculated(access)]
    outputs = list(_outputs(summary))
    writes = [access.write for access in (*summary.at_entry, *summary.at_exit)]
    writes += [access.write for access in summary.calculated]
    loads, stores = writes.count(False) + summary.unknown, writes.count(True)
    flags = (int(at.FLUSHES_TLB) if summary.flushes_tlb else 0) | (int(at.STATIC) if summary.static else 0)
    header = [
        int(summary.ending)
        | min(summary.slots, int(at.SLOTS_MASK)) << int(at.SLOTS_SHIFT)
        | flags
        | min(summary.serialising, _MOST_CYCLES) << int(at.SERIALISING_SHIFT),
        summary.dispatch,
        len(entry)
        | len(exit_) << int(at.EXIT_SHIFT)
        | summary.unknown << int(at.UNKNOWN_SHIFT)
        | len(calculated) << int(at.CALCULATED_SHIFT),
        len(summary.outputs) | (at.HEADER + len(accesses)) * 8 << 32,
        loads | stores << int(at.STORES_SHIFT),
    ]
    words = header + [0] * (at.HEADER - len(header)) + accesses + outputs
    words += [0] * (-len(words) % LINE_WORDS)
    words[int(at.DISPATCH) // 8] |= len(words) * 8 << 32
    return words


def step_words(steps: Steps) -> Iterator[int]:
    """The words of a calculation."""
    for step, argument in steps:
        yield step | argument << int(at.ARGUMENT_SHIFT) & _MASK


def _merged(accesses: Sequence[Access]) -> list[Access]:
    """The accesses, but those that touch the same lines as one access: they are alike, and all within a line's size."""
    merged: list[Access] = []
    for access in accesses:
        for n, other in enumerate(merged):
            first = min(access.displacement, other.displacement)
            end = max(access.displacement + access.size, other.displacement + other.size)
            if access._replace(displacement=0, size=0) == other._replace(displacement=0, size=0) and end - first <= _LINE:
                merged[n] = other._replace(displacement=first, size=end - first)
                break
        else:
            merged.append(access)
    return merged


def _access(access: Access) -> tuple[int, int]:
    how = (
        access.base
        | access.scaled << int(at.INDEX_SHIFT)
        | access.shift << int(at.SHIFT_SHIFT)
        | int(access.write) << int(at.WRITE_SHIFT)
        | access.segment << int(at.SEGMENT_SHIFT)
        | int(access.locked) << int(at.LOCKED_SHIFT)
        | access.size << int(at.SIZE_SHIFT)
    )
    return how, access.displacement & _MASK


def _calculated(access: CalculatedAccess) -> Iterator[int]:
    yield (
        len(access.address)
        | int(any(step is Step.LOAD for step, _ in access.address)) << int(at.FOLLOWS_SHIFT)
        | int(access.write) << int(at.WRITE_SHIFT)
        | int(access.locked) << int(at.LOCKED_SHIFT)
        | access.size << int(at.SIZE_SHIFT)
    )
    yield from step_words(access.address)


def _outputs(summary: BlockSummary) -> Iterator[int]:
    for output in summary.outputs:
        loads = int(at.LOADS) if output.loads else 0
        yield output.register | len(output.inputs) << int(at.INPUTS_SHIFT) | loads | output.base << int(at.BASE_SHIFT)
        for register, latency in output.inputs:
            yield register | latency << int(at.LATENCY_SHIFT)
