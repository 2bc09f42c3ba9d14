# SPDX-License-Identifier: GPL-2.0-only
"""An independent implementation of litmus tests of a few instructions: an interpreter that tries every order and every fetch.

It supports `mov`, loads, stores, `cmp`, jumps, a serialising instruction, and stores to the immediate of a `mov` that others
execute (a *site*, in a cache line of its own). On RISC-V, a comparison leaves 0 in t1 if the values are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

__all__ = ["REGISTERS", "WORDS", "Instruction", "final_states", "text"]

WORDS = ("x", "y")
REGISTERS = ("rax", "rbx")
MOST_STORES = 8  # in a buffer


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
class _Store:
    """A store in a buffer: to a word, or to a site, since whose execution the CPU may have jumped."""

    word: str
    site: int
    value: int
    jumped: bool = False


@dataclass(frozen=True)
class _State:
    """Attributes:
    seen: by CPU and site: the values that it may fetch, the newest last.
    hidden: by CPU and site: those that it does not fetch any more once it jumps, because it has stored over them itself:
        on stale lines, how many of the oldest ones; otherwise, which.
    """

    counters: tuple[int, ...]
    registers: tuple[tuple[int, int], ...]
    equal: tuple[bool, ...]
    memory: tuple[int, int]
    buffers: tuple[tuple[_Store, ...], ...]
    seen: tuple[tuple[tuple[int, ...], ...], ...]
    hidden: tuple[tuple[tuple[int, ...], ...], ...]


def final_states(columns: list[list[Instruction]], fetch: str, arch: str) -> set[tuple[int, ...]]:
    """The registers of all CPUs, followed by the words of memory, of each final state."""
    sites = [(cpu, n) for cpu, column in enumerate(columns) for n, it in enumerate(column) if it.kind == "site"]
    cpus = len(columns)
    none = (((),) * len(sites),) * cpus
    first = _State(
        (0,) * cpus, ((0, 0),) * cpus, (False,) * cpus, (0, 0), ((),) * cpus, (((0,),) * len(sites),) * cpus, none
    )
    known, todo, finals = {first}, [first], set()
    while todo:
        state = todo.pop()
        running = [cpu for cpu in range(cpus) if state.counters[cpu] < len(columns[cpu])]
        if not running and not any(state.buffers):
            finals.add((*(value for registers in state.registers for value in registers), *state.memory))
        found = [after for cpu in running for after in _after(columns, sites, fetch, state, cpu, arch)]
        found += [_drained(state, cpu, fetch, arch) for cpu in range(cpus) if state.buffers[cpu]]
        for after in found:
            if after not in known:
                known.add(after)
                todo.append(after)
    return finals


def _drained(state: _State, cpu: int, fetch: str, arch: str) -> _State:
    """The oldest store of a CPU has reached memory."""
    store, *rest = state.buffers[cpu]
    buffers = _put(state.buffers, cpu, tuple(rest))
    if store.word:
        memory = tuple(store.value if word == store.word else old for word, old in zip(WORDS, state.memory, strict=True))
        return replace(state, buffers=buffers, memory=memory)  # type: ignore[arg-type]
    seen, hidden = [list(views) for views in state.seen], [list(views) for views in state.hidden]
    for other in range(len(seen)):
        views = seen[other][store.site]
        if views[-1] != store.value:
            if other == cpu and arch == "x86_64":
                older = (len(views),) if fetch == "stale" else tuple(sorted(set(views) - {store.value}))
                hidden[other][store.site] = () if fetch == "coherent" else older
            elif fetch != "stale":
                hidden[other][store.site] = tuple(value for value in hidden[other][store.site] if value != store.value)
            seen[other][store.site] = _appended(views, store.value, fetch)
    after = replace(state, buffers=buffers, seen=tuple(map(tuple, seen)), hidden=tuple(map(tuple, hidden)))
    return _jumped(after, cpu, fetch) if store.jumped else after


def _jumped(state: _State, cpu: int, fetch: str) -> _State:
    """A CPU has jumped: it sees what it has stored itself, if that is in memory."""
    seen = [
        views[hidden[0] if hidden else 0 :] if fetch == "stale" else tuple(value for value in views if value not in hidden)
        for views, hidden in zip(state.seen[cpu], state.hidden[cpu], strict=True)
    ]
    nothing = ((),) * len(seen)
    return replace(state, seen=_put(state.seen, cpu, tuple(seen)), hidden=_put(state.hidden, cpu, nothing))


def _after(
    columns: list[list[Instruction]], sites: list[tuple[int, int]], fetch: str, state: _State, cpu: int, arch: str
) -> Iterator[_State]:
    at = state.counters[cpu]
    it = columns[cpu][at]
    registers = dict(zip(REGISTERS, state.registers[cpu], strict=True))
    memory = dict(zip(WORDS, state.memory, strict=True))
    buffer = state.buffers[cpu]
    if len(buffer) >= MOST_STORES:
        return
    following, equal, seen = at + 1, state.equal[cpu], [list(views) for views in state.seen]
    hidden = [list(views) for views in state.hidden]
    fetched, jumps = [0], False
    if it.kind == "site":
        number = sites.index((cpu, at))
        if any(store.jumped and not store.word and store.site == number for store in buffer):
            return
        views = seen[cpu][number]
        fetched = [len(views) - 1] if fetch == "coherent" else list(range(len(views)))
    for choice in fetched:
        if it.kind == "set":
            registers[it.register] = it.value
        elif it.kind == "load":
            own = [store.value for store in buffer if store.word == it.word]
            registers[it.register] = own[-1] if own else memory[it.word]
        elif it.kind == "store":
            buffer = (*buffer, _Store(it.word, 0, registers[it.register]))
        elif it.kind == "compare":
            equal = registers[it.register] == it.value
        elif it.kind == "jump" or (it.kind == "jump-if" and equal) or (it.kind == "jump-unless" and not equal):
            assert isinstance(it.target, int)
            jumps = arch == "x86_64" and (it.kind == "jump" or it.target != following)
            following = it.target
        elif it.kind == "serialise":
            if buffer:
                return
            seen[cpu] = [views[-1:] for views in seen[cpu]]
            hidden[cpu] = [()] * len(sites)
        elif it.kind == "site":
            registers[it.register] = views[choice]
            if fetch == "stale":
                seen[cpu][number] = views[choice:]
                hidden[cpu][number] = tuple(count - choice for count in state.hidden[cpu][number] if count > choice)
        elif it.kind == "patch":
            assert isinstance(it.target, tuple)
            buffer = (*buffer, _Store("", sites.index(it.target), it.value))
        after = _State(
            _put(state.counters, cpu, following),
            _put(state.registers, cpu, tuple(registers[name] for name in REGISTERS)),
            _put(state.equal, cpu, equal),
            state.memory,
            _put(state.buffers, cpu, tuple(replace(store, jumped=True) for store in buffer) if jumps else buffer),
            tuple(tuple(views) for views in seen),
            tuple(tuple(views) for views in hidden),
        )
        yield _jumped(after, cpu, fetch) if jumps else after


def _appended(views: tuple[int, ...], value: int, fetch: str) -> tuple[int, ...]:
    if fetch == "coherent":
        return (value,)
    return (*views, value) if fetch == "stale" else (*(old for old in views if old != value), value)


def _put(values: tuple, index: int, value: object) -> tuple:  # type: ignore[type-arg]
    return (*values[:index], value, *values[index + 1 :])
