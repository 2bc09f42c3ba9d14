# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's events are consistent: what begins ends, what expires was started, what is freed was allocated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import pytest

from emu.cpu.ramdisk import RamDisk
from emu.machine import Machine
from tests.lib.event_lines import EventLine, events_of

KERNEL_TESTS = "for test in WORKQUEUE RWSEM TASKLET; do echo $test > /dev/lkdtm; done"
WORK = f"busy 4 2; timers; {KERNEL_TESTS}; sed 1q /dev/ram0 > /dev/null"
EXITED = "4294967295"  # the state of a CPU that leaves idle

Story = Sequence[EventLine]


@pytest.fixture(params=[1, 2, 4], scope="module")
def cpus(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def machine(arch: str, cpus: int) -> Iterator[Machine]:
    with Machine(arch=arch, cpus=cpus, memory=128 << 20, ramdisk=RamDisk(1 << 20)) as booted:
        booted.tracefs.write("buffer_size_kb", "20000")
        booted.tracefs.write("trace_options", "nohash-ptr")
        yield booted
        assert booted.warnings == []


@pytest.fixture(scope="module")
def story(machine: Machine) -> Story:
    """The events of interrupts, timers, works and locks of a busy guest."""
    return events_of(machine, "irq: timer: power: workqueue: lock:", WORK)


@pytest.fixture(scope="module")
def memory_story(machine: Machine) -> Story:
    return events_of(machine, "kmem: mmap_lock: tlb: mmap:", "busy 4 2; memcheck")


def of(story: Story, *names: str) -> list[EventLine]:
    return [event for event in story if event.name in names]


def nested(story: Story, beginning: str, end: str, value: str) -> list[tuple[EventLine, EventLine]]:
    """Pairs of begin and end events on one CPU, innermost first. Ends without a begin in the trace are left out."""
    open_: dict[int, list[EventLine]] = {}
    pairs = []
    for event in of(story, beginning, end):
        stack = open_.setdefault(event.cpu, [])
        if event.name == beginning:
            stack.append(event)
        elif stack:
            pairs.append((stack.pop(), event))
            assert pairs[-1][0][value] == event[value], event
    assert pairs
    return pairs


def test_a_device_s_handler_begins_and_ends_on_its_cpu(story: Story) -> None:
    pairs = nested(story, "irq_handler_entry", "irq_handler_exit", "irq")
    assert {"ramdisk"} <= {begin["name"] for begin, _ in pairs} <= {"hostdev", "ramdisk"}
    # H: the interrupt came during a softirq.
    assert all(event.flags[2] in "hH" and event.flags[0] == "d" for pair in pairs for event in pair)
    assert all(end["ret"] == "handled" for _, end in pairs)


def test_a_softirq_is_raised_before_it_runs(story: Story) -> None:
    nested(story, "softirq_entry", "softirq_exit", "vec")
    raised: dict[tuple[int, str], bool] = {}
    for event in of(story, "softirq_raise", "softirq_entry"):
        key = event.cpu, event.text
        assert event.name == "softirq_raise" or raised.get(key, True), event
        raised[key] = event.name == "softirq_raise"
    assert {text for _, text in raised} >= {"vec=0 [action=HI]", "vec=1 [action=TIMER]", "vec=6 [action=TASKLET]"}


def test_tasklets_run_in_their_softirqs(story: Story) -> None:
    nested(story, "tasklet_entry", "tasklet_exit", "tasklet")
    vectors: dict[int, str] = {}
    within = Counter[str]()
    for event in story:
        if event.name == "softirq_entry":
            vectors[event.cpu] = event["vec"]
        elif event.name == "tasklet_entry":
            assert event["function"] == "lkdtm_tasklet"
            within[vectors[event.cpu]] += 1
    assert set(within) == {"0", "6"}


def armed(story: Story, names: Mapping[str, str], value: str) -> Counter[str]:
    """Follows each timer: it must be started before it is cancelled or expires. `names`: events' steps. Counts the steps."""
    states: dict[str, bool] = {}  # by timer: whether it is armed
    done = Counter[str]()
    for event in of(story, *names):
        timer, step = event[value], names[event.name]
        if step in ("cancel", "expire"):
            assert states.get(timer, True), event
        if step == "start" and "was_armed" in event.text and timer in states:
            assert states[timer] == (event["was_armed"] == "1"), event
        states[timer] = step == "start"
        done[step] += 1
    return done


def test_a_timer_is_started_before_it_expires(story: Story) -> None:
    steps = {"timer_init": "init", "timer_start": "start", "timer_cancel": "cancel"}
    assert min(armed(story, steps, "timer").values()) > 0
    for begin, end in nested(story, "timer_expire_entry", "timer_expire_exit", "timer"):
        assert int(begin["now"]) >= int(begin["baseclk"])
        assert "s" in begin.flags and "s" in end.flags
    expires = {}
    for event in of(story, "timer_start", "timer_expire_entry"):
        if event.name == "timer_start":
            expires[event["timer"]] = int(event["expires"]), event["function"]
        elif event["timer"] in expires:
            when, function = expires.pop(event["timer"])
            assert int(event["now"]) >= when and event["function"] == function, event


def test_an_hrtimer_is_started_before_it_expires(story: Story, cpus: int) -> None:
    steps = {
        "hrtimer_init": "init", "hrtimer_start": "start", "hrtimer_cancel": "cancel", "hrtimer_expire_entry": "expire"
    }  # fmt: skip
    assert min(armed(story, steps, "hrtimer").values()) > 0
    nested(story, "hrtimer_expire_entry", "hrtimer_expire_exit", "hrtimer")
    expires: dict[str, EventLine] = {}
    for event in of(story, "hrtimer_start", "hrtimer_expire_entry"):
        if event.name == "hrtimer_start":
            expires[event["hrtimer"]] = event
        elif start := expires.pop(event["hrtimer"], None):
            assert int(event["now"]) >= int(start["expires"]) and event["function"] == start["function"], event
            assert event.cpu == start.cpu
    ticks = {event.cpu for event in of(story, "hrtimer_expire_entry") if event["function"] == "tick_sched_timer"}
    assert ticks == set(range(cpus))
    modes = {event["mode"] for event in of(story, "hrtimer_start") if event["function"] == "tick_sched_timer"}
    assert modes == {"ABS", "ABS|PINNED|HARD"}


def test_alarms_by_processor_time(story: Story) -> None:
    """Those of `timers`: they expire when the process has used the set amount of processor time."""
    states, expired = of(story, "itimer_state"), of(story, "itimer_expire")
    assert {event["which"] for event in states} >= {"1", "2"}
    for event in expired:
        before = [state for state in states if state["which"] == event["which"] and state.time < event.time]
        assert before and int(event["now"]) >= int(before[-1]["expires"]), event


def test_an_idle_cpu_wakes_before_it_sleeps_again(story: Story, cpus: int) -> None:
    """The tick stops only while a CPU is idle, and before it sleeps."""
    last: dict[int, str] = {}
    for event in of(story, "cpu_idle", "tick_stop"):
        assert event.comm == "<idle>"
        if event.name == "tick_stop":
            assert event.text == "success=1 dependency=NONE"
            assert last.get(event.cpu, EXITED) == EXITED, event
        else:
            assert int(event["cpu_id"]) == event.cpu
            assert {event["state"], last.get(event.cpu, event["state"])} <= {"1", EXITED}
            assert event["state"] != last.get(event.cpu), event
            last[event.cpu] = event["state"]
    assert len(last) == cpus


def test_a_work_is_queued_activated_and_executed(story: Story) -> None:
    """In this order. To wait for a work, a barrier work is put behind it, which is not queued."""
    steps = ("queue_work", "activate_work", "execute_start", "execute_end")
    queue, activate, start, end = (f"workqueue_{step}" for step in steps)
    last: dict[str, str] = {}  # by work: its previous event
    running: dict[int, tuple[str, str]] = {}  # by worker
    functions = set()
    for event in of(story, queue, activate, start, end):
        work = event["struct"] if event.name == queue else event.text.split()[2].rstrip(":")
        function = event.text.rpartition(" ")[2]
        if event.name == end:
            assert running.pop(event.pid) == (work, function), event
            functions.add(function)
            continue
        if event.name == start:
            assert event.pid not in running and event.comm.startswith("kworker/"), event
            running[event.pid] = work, function
        if event.name == activate or (event.name == start and function != "wq_barrier_func"):
            assert last[work] == (queue if event.name == activate else activate), event
        last[work] = event.name
    assert not running
    assert {"lkdtm_work", "lkdtm_delayed_work", "wq_barrier_func"} <= functions
    queued = of(story, queue)
    assert {event["workqueue"] for event in queued} >= {"events", "lkdtm_ordered"}
    assert {event["cpu"] == "-1" for event in queued} == {False, True}


def test_a_lock_that_was_waited_for_is_got(story: Story, cpus: int) -> None:
    waiting: dict[int | tuple[int, int], list[str]] = {}
    kinds = set()
    for event in of(story, "contention_begin", "contention_end"):
        lock, _, rest = event.text.partition(" ")
        who = event.pid or (0, event.cpu)
        if event.name == "contention_begin":
            waiting.setdefault(who, []).append(lock)
            kinds.add(rest)
        else:
            assert waiting[who].pop() == lock and rest == "(ret=0)", event
    assert not any(waiting.values())
    assert kinds >= {"(flags=READ)", "(flags=WRITE)"}
    assert ("(flags=SPIN)" in kinds) == (cpus > 1)


def taken_and_given_back(story: Story, take: str, give: str, value: str) -> tuple[int, int]:
    """What is taken is never held already. Returns how many times something was given back, and how many things were not."""
    held: set[str] = set()
    given = 0
    for event in of(story, take, give):
        thing = event[value]
        if event.name == take:
            assert thing not in held, event
            held.add(thing)
        elif thing in held:
            held.remove(thing)
            given += 1
    return given, len(held)


@pytest.mark.parametrize(
    ("take", "give", "value"),
    [("kmalloc", "kfree", "ptr"), ("kmem_cache_alloc", "kmem_cache_free", "ptr"), ("mm_page_alloc", "mm_page_free", "pfn")],
)
def test_memory_is_free_before_it_is_allocated(memory_story: Story, take: str, give: str, value: str) -> None:
    given, held = taken_and_given_back(memory_story, take, give, value)
    assert given > 20 and held < given


def test_allocations_say_what_was_asked_for(memory_story: Story) -> None:
    for event in of(memory_story, "kmalloc", "kmem_cache_alloc"):
        assert int(event["bytes_alloc"]) >= int(event["bytes_req"]) > 0
        assert event["call_site"].partition("+")[0] not in ("__kmalloc", "kmem_cache_alloc", "kstrdup", "kmemdup")
    names = {event["name"] for event in of(memory_story, "kmem_cache_free")}
    assert {"task_struct", "mm_struct", "vm_area_struct"} <= names
    flags = {event["gfp_flags"] for event in of(memory_story, "mm_page_alloc")}
    assert {"GFP_KERNEL", "GFP_HIGHUSER_MOVABLE|__GFP_ZERO", "GFP_HIGHUSER_MOVABLE"} <= flags


def test_pages_of_a_cpu_come_from_the_zone_and_go_back(memory_story: Story) -> None:
    """A page is in a CPU's list from when it is moved there until it is moved back."""
    listed = {event["pfn"] for event in of(memory_story, "mm_page_alloc_zone_locked") if event["percpu_refill"] == "1"}
    assert listed and of(memory_story, "mm_page_pcpu_drain")
    assert all(event["order"] == "0" for event in of(memory_story, "mm_page_pcpu_drain"))
    batched = Counter(event["pfn"] for event in of(memory_story, "mm_page_free_batched"))
    freed = Counter(event["pfn"] for event in of(memory_story, "mm_page_free"))
    assert batched and batched <= freed


def test_rss_changes_by_a_page(memory_story: Story, arch: str) -> None:
    page = {"x86_64": 4096, "sparc64": 8192, "riscv64": 4096}[arch]
    sizes: dict[tuple[str, str], int] = {}
    kinds = set()
    for event in of(memory_story, "rss_stat"):
        key, size = (event["mm_id"], event["type"]), int(event["size"].rstrip("B"))
        assert abs(size - sizes.get(key, size + page)) == page, event
        sizes[key] = size
        kinds.add(event["type"])
        if not size:
            del sizes[key]  # another process may use the same address next
    assert kinds == {"MM_ANONPAGES", "MM_FILEPAGES"}


def test_mmap_lock_is_asked_for_got_and_released(memory_story: Story) -> None:
    order = ("mmap_lock_start_locking", "mmap_lock_acquire_returned", "mmap_lock_released")
    last: dict[tuple[int, str], EventLine] = {}
    kinds = set()
    for event in of(memory_story, *order):
        key = event.pid, event["mm"]
        before = last.pop(key, None)
        assert event["memcg_path"] == "(null)"
        if before is None:
            assert event.name == order[0], event
        else:
            assert order.index(event.name) == order.index(before.name) + 1 and event["write"] == before["write"], event
        if event.name != order[2] and "success=false" not in event.text:
            last[key] = event
        kinds.add(event["write"])
    assert not last and kinds == {"true", "false"}


def test_other_cpus_forget_translations_when_they_are_told(memory_story: Story, cpus: int) -> None:
    reasons = Counter(event.text.partition("reason:")[2] for event in of(memory_story, "tlb_flush"))
    assert reasons["flush on task switch (0)"] and reasons["local mm shootdown (3)"]
    assert not reasons["local shootdown (2)"]
    if cpus == 1:
        assert not reasons["remote shootdown (1)"] and not reasons["remote ipi send (4)"]
    else:
        assert reasons["remote shootdown (1)"] and reasons["remote ipi send (4)"]


def test_places_for_mappings_are_looked_for_from_the_top(memory_story: Story) -> None:
    found = of(memory_story, "vm_unmapped_area")
    assert found
    for event in found:
        low, high, length, address = (int(event[value], 16) for value in ("lo", "hi", "len", "addr"))
        assert event["flags"] == "0x1" and event["mask"] == event["ofs"] == "0x0"
        assert low <= address <= high - length if address else int(event["err"]) < 0, event
