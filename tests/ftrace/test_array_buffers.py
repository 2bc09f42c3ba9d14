# SPDX-License-Identifier: GPL-2.0-only
"""The ring buffers of an array and their spares, after any sequence of operations, compared with a model made of lists."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.buffers.array_buffers import ArrayBuffers
from emu.ftrace.buffers.ring_buffer import RingBuffer, pages_for
from emu.ftrace.native import ring_record
from emu.ftrace.native.ring_record import PAGE_SIZE
from emu.ftrace.native.snapshot import take_snapshot
from emu.ftrace.native.switches import record_on
from tests.lib.ring_model import RingModel, listed

CPUS = 3
ALL = frozenset(range(CPUS))
_SOME_CPU = st.one_of(st.none(), st.integers(0, CPUS - 1))
_SOME_CPUS = st.frozensets(st.integers(0, CPUS - 1))


class ArrayBuffersMachine(RuleBasedStateMachine):
    """The model of each CPU's buffer is a RingModel; so is that of its spare, if there is one."""

    def __init__(self) -> None:
        super().__init__()
        self.records = ArrayRecords(CPUS)
        self.buffers = ArrayBuffers(self.records)
        self.main = [RingModel(2, overwrite=True) for _ in range(CPUS)]
        self.spare: list[RingModel] | None = None
        self.disabled: dict[int, frozenset[int]] = {}
        self.time = 0

    def records_on(self, cpu: int) -> bool:
        return not any(cpu in cpus for cpus in self.disabled.values())

    def paused(self, cpu: int) -> bool:
        return cpu in self.disabled.get(ring_record.PAUSED, ())

    @rule(cpu=st.integers(0, CPUS - 1), sizes=st.lists(st.integers(1, 2000), max_size=12))
    def write(self, cpu: int, sizes: list[int]) -> None:
        for size in sizes:
            self.time += 7
            data = self.time.to_bytes(size, "little", signed=False) if size > 3 else bytes(size)
            (ring,) = self.buffers.of(cpu)
            assert ring.write(self.time, data) == (self.records_on(cpu) and self.main[cpu].write(self.time, data))

    @rule(cpu=_SOME_CPU)
    def take(self, cpu: int | None) -> None:
        cpus = range(CPUS) if cpu is None else [cpu]
        if self.spare is None:
            self.spare = [RingModel(ring.pages, ring.overwrite) for ring in self.main]
        for index in cpus:
            self.spare[index].resize(self.main[index].pages)
        self.buffers.make_spares(cpu)
        self.buffers.exchange(cpu)
        self.exchange([index for index in cpus if not self.paused(index) and (cpu is None or self.records_on(index))])

    def exchange(self, cpus: list[int]) -> None:
        assert self.spare is not None
        for cpu in cpus:
            self.main[cpu], self.spare[cpu] = self.spare[cpu], self.main[cpu]

    @rule()
    def trigger(self) -> None:
        """Native code takes a snapshot: it allocates nothing, and does not change sizes."""
        take_snapshot(self.records.array)
        if self.spare is not None:
            self.exchange([cpu for cpu in range(CPUS) if not self.paused(cpu)])

    @rule()
    def allocate(self) -> None:
        if self.spare is None:
            self.buffers.make_spares()
            self.spare = [RingModel(ring.pages, ring.overwrite) for ring in self.main]

    @rule()
    def free(self) -> None:
        self.buffers.free_spares()
        self.spare = None

    @rule(cpu=_SOME_CPU, spare=st.booleans())
    def clear(self, cpu: int | None, spare: bool) -> None:
        for ring in self.buffers.of(cpu, spare=spare):
            ring.reset()
        models = self.spare if spare else self.main
        for index in range(CPUS) if cpu is None else [cpu]:
            if models is not None:
                models[index] = RingModel(models[index].pages, models[index].overwrite)

    @rule(cpu=_SOME_CPU, pages=st.integers(2, 5))
    def resize(self, cpu: int | None, pages: int) -> None:
        self.buffers.resize(4 * pages - 4, cpu, spares=False)
        for index in range(CPUS) if cpu is None else [cpu]:
            self.main[index].resize(pages_for((4 * pages - 4) * 1024))

    @rule(why=st.sampled_from([ring_record.OFF, ring_record.MASKED, ring_record.PAUSED]), cpus=_SOME_CPUS)
    def disable(self, why: int, cpus: frozenset[int]) -> None:
        self.buffers.disable(why, cpus)
        self.disabled[why] = cpus

    @rule()
    def turn_on(self) -> None:
        record_on(self.records.array)
        self.disabled[ring_record.OFF] = frozenset()

    @rule(overwrite=st.booleans())
    def set_overwrite(self, overwrite: bool) -> None:
        for ring in self.buffers:
            ring.overwrite = overwrite
        for model in (*self.main, *(self.spare or ())):
            model.overwrite = overwrite

    @rule(cpu=st.integers(0, CPUS - 1), spare=st.booleans())
    def read(self, cpu: int, spare: bool) -> None:
        models = self.spare if spare else self.main
        for ring in self.buffers.of(cpu, spare=spare):
            assert models is not None
            events, expected = ring.consume(), models[cpu].consume()
            assert (None if events is None else (listed(events), events.lost)) == expected

    @invariant()
    def is_the_same(self) -> None:
        assert self.buffers.have_spares == (self.spare is not None)
        for models, spare in ((self.main, False), (self.spare or [], True)):
            rings = self.buffers.of(None, spare=spare)
            assert [ring.cpu for ring in rings] == list(range(len(models)))
            for ring, model in zip(rings, models, strict=True):
                assert listed(ring.unread()) == model.unread()
                assert (ring.pages, ring.overwrite) == (model.pages, model.overwrite)
                assert (ring.overrun, ring.dropped_events) == (model.overrun, model.dropped)
        assert {ring.cpu for ring in self.buffers.of(None) if ring.recording} == {c for c in ALL if self.records_on(c)}


TestArrayBuffers = ArrayBuffersMachine.TestCase
TestArrayBuffers.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


def test_without_memory_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    buffers = ArrayBuffers(ArrayRecords(CPUS))
    buffers.of(1)[0].write(1, b"abc")
    allocate = RingBuffer._allocate
    monkeypatch.setattr(RingBuffer, "_allocate", lambda ring, pages: _fail() if ring.cpu == 2 else allocate(ring, pages))
    with pytest.raises(MemoryError):
        buffers.make_spares()
    assert not buffers.have_spares
    assert buffers.of(None, spare=True) == []
    with pytest.raises(MemoryError):
        buffers.resize(100, None, spares=False)
    assert [ring.pages for ring in buffers] == [2, 2, 2]
    assert [ring.entries for ring in buffers] == [0, 1, 0]


def test_another_snapshot_needs_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    buffers = ArrayBuffers(ArrayRecords(CPUS))
    buffers.make_spares()
    monkeypatch.setattr(RingBuffer, "_allocate", lambda ring, pages: _fail())
    buffers.make_spares()
    buffers.resize(7, None, spares=False)
    with pytest.raises(MemoryError):
        buffers.resize(8, None, spares=False)


def test_who_waits_for_pages_looks_again_after_a_snapshot() -> None:
    """From then on, pages are started in the other buffer."""
    records = ArrayRecords(CPUS)
    buffers = ArrayBuffers(records)
    buffers.make_spares()
    (ring,) = buffers.of(1)
    ring.await_pages(1, records.array, 77)
    buffers.exchange(0)
    assert records.array.reader_waits == 0
    buffers.exchange(None)
    assert records.array.reader_waits == 77
    records.array.reader_waits = 0
    buffers.exchange(None)
    while ring.full_pages < 1:
        assert ring.write(1, bytes(1000))
    assert records.array.reader_waits == 0


def _fail() -> None:
    raise MemoryError


def _resident() -> int:
    """The resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_spare_buffers_of_many_cpus_take_memory_when_they_are_used() -> None:
    records = ArrayRecords(128)
    buffers = ArrayBuffers(records)
    buffers.resize(1408, None, spares=False)
    before = _resident()
    buffers.make_spares()
    assert _resident() - before < 4 << 20
    assert sum(ring.pages for ring in buffers.of(None, spare=True)) * PAGE_SIZE > 170 << 20
    buffers.exchange(None)
    assert _resident() - before < 4 << 20
    assert records.cpus[0].ring.address == buffers.of(0)[0].record.address
