# SPDX-License-Identifier: GPL-2.0-only
"""What native code and Python share of a board, of its CPUs, and of the blocks that a CPU has translated.

Native code gets a CPU's record through hooks' user pointers and CPUState.opaque. Of Unicorn's own structures `emu.cpu.internals`
finds where their members are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from emu.cpu.native.heap_record import Heap
from emu.cpu.native.timing.cache_records import SharedCaches
from emu.cpu.native.timing.profile_record import Profile
from emu.cpu.native.timing.record import Timing
from emu.cpu.native.timing.summary_record import Tables
from emu.native.records import GuestRecord, Record, Records, Shape, Values, i32, inline, u16, u32, u64

if TYPE_CHECKING:
    from emu.cpu.internals import CpuStructures

__all__ = [
    "Block", "Board", "Cpu", "CpuState", "Label", "Operand", "StringCost", "TranslationBlock", "Translator", "TranslatorContext",
    "Uc", "shapes",
]  # fmt: skip

HOST_CALL_COUNT = 64

VECTORS = 256
ARGUMENT_COUNT = 4
HOOK_ARGUMENT_COUNT = 4
TRANSLATION_BUFFER = 32 << 20  # bytes of translated code a CPU may hold
BLOCK_COUNT = TRANSLATION_BUFFER // 128  # a TranslationBlock alone takes more bytes than that
NEVER = u64(0xFFFF_FFFF_FFFF_FFFF)  # a time that does not come

INSTRUCTION_COUNT = 4
NOTICED_COUNT = 16

# Values of Cpu.status
OFF, RUNNING, HALTED = u64(0), u64(1), u64(2)
STOPPED = u64(3)  # halted with interrupts off

# Values of Cpu.request
NO_REQUEST, HOST_CALL_REQUEST, STOP_REQUEST = u64(0), u64(1), u64(2)


class Board(Record):
    """What the CPUs of a board share."""

    ram: u64  # its host address
    ram_size: u64
    heap: Heap  # the heap in use while a CPU executes
    decode: Callable[[Cpu, Block], None]  # stores what is known of a block, whose size and place are
    cpus: Values[Cpu]
    cpu_count: u64
    dispatch_start: u64  # virtual addresses: blocks that begin here may have a host function
    dispatch_end: u64
    dispatch: Values[Callable[[Cpu, u64], None] | None]  # per byte of that range; its argument is the address
    host_calls: Values[Callable[[Cpu, u64], None] | None]  # per host call, with its number; None: Python answers
    quantum: u64
    random: u64  # state of the generator that varies the length of turns
    timer_vector: u64
    current: u64  # index of the CPU whose turn it is
    longest_turn: u64  # cycles, when nothing else ends it
    limit: u64  # cycles: no turn begins at or after this time
    vector_start: u64  # the vectors that the architecture can deliver
    vector_end: u64
    direct_start: u64  # virtual address that maps physical 0, all of RAM
    kernel_start: u64  # virtual address that maps physical 0 for the kernel's text
    pace: u64  # cycles: the quantum while CPUs take lines from each other; 0: they do not
    timing_tables: Tables  # of a timing model with state: summaries of blocks, and states
    timing_shared: SharedCaches  # ... and what the CPUs share
    ipi_time: u64  # cycles that an interrupt takes from one CPU to another
    settle: Callable[[Cpu, u64], None] | None  # a turn has ended; the argument is 0
    profile: Callable[[Cpu, u64], None] | None  # a block begins at an address: what was counted so far is of those before
    profile_record: Profile  # what that function works on
    wanted: bool  # another thread wants Python to act, so turns end
    sample: Callable[[Cpu, u64], None] | None  # something is to be sampled in the block at an address


class Block(Record):
    """What a CPU knows of a block that it has translated (`block_record`)."""

    cycles: u64  # what the block costs, or UNKNOWN, or a StringCost
    size: u32  # in bytes
    instructions: u32
    summary: u64  # offset of what a timing model with state knows of it (summary_record); 0: nothing
    place: u64  # where its code is in RAM


class StringCost(Record):
    """What a block costs whose last instruction is repeated. As a number it is later than any deadline."""

    cycles: u16  # without the repetitions
    offset: u16  # of that instruction, in bytes from the block's beginning
    description: u16  # of that instruction: what the architecture's hook wants to know of it
    mark: u16  # the upper bits of `block_record.STRING`


class Uc(GuestRecord):
    """struct uc_struct"""

    cpu: CpuState
    stop_interrupt: u64  # bool (*)(uc, exception)


class CpuState(GuestRecord):
    """CPUState"""

    opaque: u64  # a pointer free for our use: the CPU's record; 0: it is no CPU of a board
    exception_index: i32
    cflags_next_tb: u32  # instructions in the next block; all ones: no bound


class TranslationBlock(GuestRecord):
    """TranslationBlock"""

    pc: u64  # the address that it begins with
    size: u16  # in bytes


class TranslatorContext(GuestRecord):
    """TCGContext"""

    uc: Uc


class Operand(Record):
    """TCGTemp"""


class Label(Record):
    """TCGLabel"""


def shapes(at: CpuStructures) -> dict[type[Record], Shape]:
    """Of Unicorn's structures."""
    return {
        Uc: Shape({"cpu": at.uc_cpu, "stop_interrupt": at.uc_stop_interrupt}),
        CpuState: Shape(
            {
                "opaque": at.cpu_opaque,
                "exception_index": at.cpu_exception_index,
                "cflags_next_tb": at.cpu_cflags_next_tb,
            }
        ),
        TranslationBlock: Shape({"pc": 0, "size": 20}),
        TranslatorContext: Shape({"uc": at.translator.context_uc}),
    }


class Translator(Record):
    """What changes Unicorn's translator, for all CPUs of an architecture: addresses of its functions and of ours."""

    hooks: u64  # helper_uc_tracecode, which calls all hooks: Unicorn calls it if there are others than the block hook
    exit_check: u64  # helper_check_exit_request, which the translator calls after each access to memory
    instructions: Values[u64] = inline(INSTRUCTION_COUNT)  # helpers that the block hook executes instead (see translator)
    noticed: Values[u64] = inline(NOTICED_COUNT)  # helpers before whose calls the architecture emits something


class Cpu(Record):
    """What native code and Python share of one CPU."""

    uc: Uc
    state: CpuState
    env: u64  # CPUArchState *: the architecture's Env
    board: Board
    index: u64
    status: u64
    cycles: u64
    deadline: u64  # the block hook looks around when `cycles` reaches it
    turn_end: u64
    timer: u64  # the local timer's deadline
    arrival: u64  # the earliest of `arrivals`
    request: u64  # why Python must act before the CPU goes on
    host_call: u64  # the number of the host call that Python answers
    stepping: bool  # exact stepping
    steps: u64  # blocks that may still begin while exact stepping
    instructions: u64  # instructions in the blocks that have begun
    pending_count: u64
    nmi: bool  # pending
    location: Values[u64]  # env's program counter
    taken: u64  # interrupts delivered
    arguments: Values[u64] = inline(ARGUMENT_COUNT)  # of a host call
    result: u64
    pending: Values[u64] = inline(VECTORS // 64)  # a bit per vector
    callout: u64  # free for the layer above: its own record of this CPU
    arrivals: Values[u64] = inline(VECTORS)  # a word per vector: when it becomes pending, or NEVER
    next_location: Values[u64]  # env's next program counter, or `location` again
    resume: u64  # the next program counter when the turn began; 0 once the architecture has restored it
    nmi_timer: u64  # the watchdog timer's deadline: then an NMI is pending
    smi_next: u64  # when the next system management interrupt is due, or NEVER
    smi_period: u64  # cycles from one to the next
    smi_length: u64  # cycles that each takes
    block: u64  # virtual address of the block that is being translated, or whose cost is asked for
    string: u64  # virtual address of the string instruction that was repeated last
    string_begun: u64  # `instructions` then
    timing: Timing  # of a timing model with state; without, there is none
    trap_time: u64  # parts of a cycle that such a model gives a trap
    block_hook: u64  # what translated blocks call, as `translator` says
    slept: u64  # how many of `cycles` it has been halted
    cycle_counter: Values[u64] | None  # a register that follows `cycles`
    translator: Translator  # the architecture's
    translated: Block | None  # whose translation begins; None: it has begun
    hook_arguments: Values[Operand] = inline(HOOK_ARGUMENT_COUNT)  # of the call that is being emitted
    first_tb: TranslationBlock | None  # the first in the buffer
    blocks_used: u64
    blocks: Records[Block] = inline(BLOCK_COUNT)  # of each in the buffer
