# SPDX-License-Identifier: GPL-2.0-only
"""An independent implementation of litmus tests of a few instructions: an interpreter that tries every order and every fetch.

It supports `mov`, loads, stores, `cmp`, jumps, a serialising instruction, and stores to the immediate of a `mov` that others
execute (a *site*, in a cache line of its own). On RISC-V, a comparison leaves 0 in t1 if the values are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["REGISTERS", "WORDS", "Instruction", "final_states", "text"]

WORDS = ("x", "y")
REGISTERS = ("rax", "rbx")


@dataclass(frozen=True)
class Instruction:
    """One instruction.

    Attributes:
        kind: set, load, store, compare, jump, jump-if, jump-unless, serialise, site or patch.
        register: the one that is set, loaded, stored or compared.
        word: the word of memory.
        value: the value that is set, compared or patched in.
        target: for a jump, the index of an instruction in the same column; for patch, (CPU, index) of a site.
    """

    kind: str
    register: str = "rax"
    word: str = "x"
    value: int = 0
    target: int | tuple[int, int] = 0


def text(columns: list[list[Instruction]], arch: str) -> str:
    """The instructions as a litmus test that shows all registers and words."""
    line = {"x86_64": _line, "riscv64": _riscv_line}[arch]
    cells = [[line(cpu, n, instruction) for n, instruction in enumerate(column)] for cpu, column in enumerate(columns)]
    lines = [[cell for parts in column for cell in parts] + [f"end{cpu}:"] for cpu, column in enumerate(cells)]
    height = max(map(len, lines))
    rows = [" | ".join(line[n] if n < len(line) else "" for line in lines) for n in range(height)]
    names = REGISTERS if arch == "x86_64" else _RISCV_REGISTERS.values()
    shown = " ".join([*(f"{cpu}:{name};" for cpu in range(len(columns)) for name in names), *(f"{word};" for word in WORDS)])
    state = "" if arch == "x86_64" else " ".join(_riscv_state(columns))
    heads = " | ".join(f"P{cpu}" for cpu in range(len(columns)))
    return "\n".join([f"{arch.upper()} random", f"{{ x = 0; y = 0; {state} }}", f"{heads} ;", *(f"{row} ;" for row in rows),
                      f"locations [{shown}]", "exists (x = 0)"])  # fmt: skip


def _line(cpu: int, index: int, instruction: Instruction) -> Iterator[str]:
    it, label = instruction, f"i{cpu}_{index}"
    if it.kind == "site":
        yield ".align 64"
    if it.kind == "patch":
        assert isinstance(it.target, tuple)
        yield f"{label}: mov byte ptr [i{it.target[0]}_{it.target[1]} + 1], {it.value}"
        return
    assert isinstance(it.target, int)
    yield f"{label}: " + {
        "set": f"mov {it.register}, {it.value}",
        "load": f"mov {it.register}, qword ptr [{it.word}]",
        "store": f"mov qword ptr [{it.word}], {it.register}",
        "compare": f"cmp {it.register}, {it.value}",
        "jump": f"jmp TARGET{it.target}",
        "jump-if": f"je TARGET{it.target}",
        "jump-unless": f"jne TARGET{it.target}",
        "serialise": "wbinvd",
        "site": f"mov e{it.register[1:]}, 0",
    }[it.kind].replace(f"TARGET{it.target}", f"i{cpu}_{it.target}")
    if it.kind == "site":
        yield ".align 64"


_RISCV_REGISTERS = {"rax": "a0", "rbx": "a1"}
_RISCV_WORDS = {"x": "s2", "y": "s3"}  # registers with their addresses


def _riscv_state(columns: list[list[Instruction]]) -> Iterator[str]:
    """The registers with the addresses of words and, from s4 on, of what each instruction of a column patches."""
    for cpu, column in enumerate(columns):
        yield f"{cpu}:t1 = 1; {cpu}:s2 = x; {cpu}:s3 = y;"
        for n, it in enumerate(column):
            if isinstance(it.target, tuple):
                yield f"{cpu}:s{4 + n} = i{it.target[0]}_{it.target[1]};"


def _riscv_line(cpu: int, index: int, instruction: Instruction) -> Iterator[str]:
    it, label = instruction, f"i{cpu}_{index}"
    register, word, target = _RISCV_REGISTERS[it.register], _RISCV_WORDS[it.word], f"i{cpu}_{it.target}"
    if it.kind == "site":
        yield ".align 64"
    if it.kind == "patch":  # the high parcel: the immediate, and 0 for the register zero
        yield f"{label}: li t2, {it.value << 4}"
        yield f"sh t2, 2(s{4 + index})"
        return
    yield f"{label}: " + {
        "set": f"li {register}, {it.value}",
        "load": f"ld {register}, ({word})",
        "store": f"sd {register}, ({word})",
        "compare": f"addi t1, {register}, -{it.value}",
        "jump": f"j {target}",
        "jump-if": f"beqz t1, {target}",
        "jump-unless": f"bnez t1, {target}",
        "serialise": "fence.i",
        "site": f"addi {register}, zero, 0",
    }[it.kind]
    if it.kind == "site":
        yield ".align 64"


@dataclass(frozen=True)
class _State:
    counters: tuple[int, ...]
    registers: tuple[tuple[int, int], ...]
    equal: tuple[bool, ...]
    memory: tuple[int, int]
    seen: tuple[tuple[tuple[int, ...], ...], ...]  # by CPU and site: the values that it may fetch, the newest last


def final_states(columns: list[list[Instruction]], fetch: str) -> set[tuple[int, ...]]:
    """The registers of all CPUs, followed by the words of memory, of each final state."""
    sites = [(cpu, n) for cpu, column in enumerate(columns) for n, it in enumerate(column) if it.kind == "site"]
    cpus = len(columns)
    first = _State((0,) * cpus, ((0, 0),) * cpus, (False,) * cpus, (0, 0), (((0,),) * len(sites),) * cpus)
    known, todo, finals = {first}, [first], set()
    while todo:
        state = todo.pop()
        running = [cpu for cpu in range(cpus) if state.counters[cpu] < len(columns[cpu])]
        if not running:
            finals.add((*(value for registers in state.registers for value in registers), *state.memory))
        for cpu in running:
            for after in _after(columns, sites, fetch, state, cpu):
                if after not in known:
                    known.add(after)
                    todo.append(after)
    return finals


def _after(
    columns: list[list[Instruction]], sites: list[tuple[int, int]], fetch: str, state: _State, cpu: int
) -> Iterator[_State]:
    at = state.counters[cpu]
    it = columns[cpu][at]
    registers = dict(zip(REGISTERS, state.registers[cpu], strict=True))
    memory = dict(zip(WORDS, state.memory, strict=True))
    following, equal, seen = at + 1, state.equal[cpu], [list(views) for views in state.seen]
    fetched = [0]
    if it.kind == "site":
        number = sites.index((cpu, at))
        views = seen[cpu][number]
        fetched = [len(views) - 1] if fetch == "coherent" else list(range(len(views)))
    for choice in fetched:
        if it.kind == "set":
            registers[it.register] = it.value
        elif it.kind == "load":
            registers[it.register] = memory[it.word]
        elif it.kind == "store":
            memory[it.word] = registers[it.register]
        elif it.kind == "compare":
            equal = registers[it.register] == it.value
        elif it.kind == "jump" or (it.kind == "jump-if" and equal) or (it.kind == "jump-unless" and not equal):
            assert isinstance(it.target, int)
            following = it.target
        elif it.kind == "serialise":
            seen[cpu] = [views[-1:] for views in seen[cpu]]
        elif it.kind == "site":
            registers[it.register] = views[choice]
            if fetch == "stale":
                seen[cpu][number] = views[choice:]
        elif it.kind == "patch":
            assert isinstance(it.target, tuple)
            patched = sites.index(it.target)
            for other in seen:
                if other[patched][-1] != it.value:
                    other[patched] = _appended(other[patched], it.value, fetch)
        yield _State(
            _put(state.counters, cpu, following),
            _put(state.registers, cpu, tuple(registers[name] for name in REGISTERS)),
            _put(state.equal, cpu, equal),
            (memory["x"], memory["y"]),
            tuple(tuple(views) for views in seen),
        )


def _appended(views: tuple[int, ...], value: int, fetch: str) -> tuple[int, ...]:
    if fetch == "coherent":
        return (value,)
    return (*views, value) if fetch == "stale" else (*(old for old in views if old != value), value)


def _put(values: tuple, index: int, value: object) -> tuple:  # type: ignore[type-arg]
    return (*values[:index], value, *values[index + 1 :])
