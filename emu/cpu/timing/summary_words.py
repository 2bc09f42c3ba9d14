# SPDX-License-Identifier: GPL-2.0-only
"""Encodes summaries of blocks as records for native code (`emu.cpu.native.timing.summary_record`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from emu.cpu.native.timing import summary_record
from emu.cpu.native.timing.summary_record import FLUSHES_TLB, SERIALISES, STATIC, step_word
from emu.cpu.timing import Access, BlockSummary, CalculatedAccess, Output
from emu.cpu.timing.steps import Step
from emu.native.records import HOST

__all__ = ["LINE_WORDS", "words_of"]

LINE_WORDS = 8

_LINE, _WORD = 64, 8  # bytes
_MOST_SLOTS, _MOST_ACCESSES, _MOST_CALCULATED, _MOST_CYCLES = 0xFFFF, 0xFFFF, 0x7FFF, 0xFFFF_FFFF

# The size of each record up to its inline array
_HEADER = HOST.fields(summary_record.Summary)["accesses"].offset
_CALCULATED = HOST.fields(summary_record.CalculatedAccess)["steps"].offset
_OUTPUT = HOST.fields(summary_record.Output)["inputs"].offset
_ACCESS, _INPUT = HOST.size(summary_record.Access), HOST.size(summary_record.Input)


def words_of(summary: BlockSummary) -> NDArray[np.uint64]:
    """The words of a summary: its header, its accesses, its outputs, padded to whole cache lines of the host."""
    calculated = list(dict.fromkeys(summary.calculated))[:_MOST_CALCULATED]
    entry, exit_ = _merged(summary.at_entry)[:_MOST_ACCESSES], _merged(summary.at_exit)[:_MOST_ACCESSES]
    outputs = _HEADER + _ACCESS * (len(entry) + len(exit_)) + sum(_CALCULATED + _WORD * len(one.address) for one in calculated)
    size = outputs + sum(_OUTPUT + _INPUT * len(output.inputs) for output in summary.outputs)
    words = np.zeros(-(-size // _LINE) * LINE_WORDS, np.uint64)
    made = summary_record.Summary(words.ctypes.data)
    made.at_entry, made.at_exit, made.calculated, made.unknown = len(entry), len(exit_), len(calculated), summary.unknown
    made.size, made.outputs, made.output_count = words.nbytes, outputs, len(summary.outputs)
    _write_header(made, summary)
    accesses = made.accesses
    for n, access in enumerate((*entry, *exit_)):
        _write_access(accesses[n], access)
    place = accesses[len(entry) + len(exit_)].address
    for one in calculated:
        _write_calculated(summary_record.CalculatedAccess(place), one)
        place += _CALCULATED + _WORD * len(one.address)
    for output in summary.outputs:
        _write_output(summary_record.Output(place), output)
        place += _OUTPUT + _INPUT * len(output.inputs)
    return words


def _write_header(made: summary_record.Summary, summary: BlockSummary) -> None:
    flags = {FLUSHES_TLB: summary.flushes_tlb, STATIC: summary.static, SERIALISES: summary.serialising}
    writes = [access.write for access in (*summary.at_entry, *summary.at_exit)]
    writes += [access.write for access in summary.calculated]
    made.ending, made.flags = summary.ending, sum(int(flag) for flag, has in flags.items() if has)
    made.slots, made.dispatch = min(summary.slots, _MOST_SLOTS), summary.dispatch
    made.serialising = min(summary.serialising, _MOST_CYCLES)
    made.loads, made.stores = writes.count(False) + summary.unknown, writes.count(True)


def _merged(accesses: Sequence[Access]) -> list[Access]:
    """The accesses, with similar ones on the same lines merged into one: together they are within a line's size."""
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


def _write_access(made: summary_record.Access, access: Access) -> None:
    made.base, made.scaled, made.shift, made.segment = access.base, access.scaled, access.shift, access.segment
    made.write, made.locked, made.size, made.displacement = access.write, access.locked, access.size, access.displacement


def _write_calculated(made: summary_record.CalculatedAccess, access: CalculatedAccess) -> None:
    made.count, made.size, made.write, made.locked = len(access.address), access.size, access.write, access.locked
    made.follows = any(step is Step.LOAD for step, _ in access.address)
    for n, step in enumerate(access.address):
        made.steps[n] = step_word(*step)


def _write_output(made: summary_record.Output, output: Output) -> None:
    made.register, made.count, made.loads, made.base = output.register, len(output.inputs), output.loads, output.base
    inputs = made.inputs
    for n, (register, latency) in enumerate(output.inputs):
        source = inputs[n]
        source.register, source.latency = register, latency
