# SPDX-License-Identifier: GPL-2.0-only
"""Random definitions of events, and random histograms with all of their features."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

__all__ = ["DEFINED", "TARGETS", "Definitions", "Hists"]

TARGETS = ("/target", "/fuzz/target")  # programs that may be probed in the middle of instructions: copies of ls
_LARGEST = 0x6000  # offset in one of them
_KPROBES, _UPROBES, _EPROBES, _MADE = ("p0", "p1", "p2", "p3"), ("u0", "u1", "u2"), ("e0", "e1", "e2"), ("s0", "s1", "s2")
# Few names, so that definitions collide.
_BY_GROUP = {"kprobes": _KPROBES, "uprobes": _UPROBES, "eprobes": _EPROBES, "synthetic": _MADE}
DEFINED: Sequence[Sequence[str]] = [
    *([group, name] for group, names in _BY_GROUP.items() for name in names), ["mine", "p0"], ["mine", "e0"], ["mine", "u0"],
]  # fmt: skip
_WRONG_LINES = 0.15  # the share of lines with errors
_WRONG = 0.25  # the share of wrong choices in such a line
# Valid choices, and (nearly always) invalid ones.
_Choices = tuple[Sequence[str], Sequence[str]]
_GROUPS: _Choices = ("", "", "", "mine/"), ("kprobes/", "uprobes/", "sched/", "kprobes/x/", "1/", "/")
_OFFSETS: _Choices = ("", "", "+0", "%return"), ("+4", "+5", "+8", "+16", "+0xffffff", "-1", "+x", "+")
_REGISTERS = ("di", "si", "ax", "sp", "ip", "flags", "i0", "o0", "g1", "l3", "tstate", "pc", "fp")
_FETCHED: _Choices = (
    (*(f"$arg{number}" for number in (1, 2, 3)), "$stack", "$stack0", "$stack3", "$comm", "@jiffies", "@init_task", "\\7",
     *(f"%{name}" for name in _REGISTERS)),
    ("$retval", "$arg0", "$arg7", "$stack99999", "@no_such+8", "@0", "@0xffffffff81000000", "@+0x40", '\\"text"', "\\", "$",
     "$prev_comm", "%bogus", "%"),
)  # fmt: skip
_OF_FIELDS: _Choices = (
    ("$common_pid", "$prev_comm", "$next_pid", "$id", "$pid", "$a", "$b", "$comm"), ("$arg1", "%di", "$retval", "$no", "@0", "$"),
)  # fmt: skip
_FETCHED_FROM: _Choices = ("0", "8", "0x10", "-8"), ("x", "99999999999", "")
_PROBED_MODULES = (
    *(f"sample_events:{name}" for name in ("sample_round", "sample_fill_basket", "sample_round+4", "no_such")),
    "ext2:ext2_lookup", "bogus:bogus",
)  # fmt: skip
_PLACES: _Choices = _PROBED_MODULES, ("0xffffffff81000000", "0x0", "-1", "panic", "do_syscall", "_stext", "no_such", "@")
_TYPES: _Choices = (
    ("", "", "", ":u8", ":s16", ":x32", ":u64", ":x64", ":string", ":ustring", ":symbol", ":symstr", ":b4@2/32", ":u8[4]",
     ":string[2]", ":x64[64]"),
    (":b1@31/32", ":x64[65]", ":x64[0]", ":char", ":b33@0/32", ":b4@30/32", ":u128", ":", ":x8["),
)  # fmt: skip
_ARGUMENT_NAMES: _Choices = ("", "", "a=", "b=", "c="), ("a=", "common_pid=", "1=", "=", "__probe_ip=")
_COUNTERS: _Choices = ("", "", "", "(0x100)"), ("(0x101)", "(0)", "(", "(x)")
_FILES: _Choices = TARGETS, ("/no/such", "/", "target", "/proc/1/comm", "/dev/null", "/names")
_TYPES_MADE: _Choices = (
    ("u64", "u64", "s64", "pid_t", "u32", "int", "unsigned long", "char", "bool", "gfp_t"), ("bogus", "u64 u64", ""),
)  # fmt: skip
_TEXTS_MADE: _Choices = ("char {}[16]", "char[] {}", "char {}[]"), ("char {}[0]", "char {}[257]", "u64 {}[3]", "char {}[x]")
_CONDITIONS: _Choices = ("", "", " if common_pid > 1"), (" if bogus == 1", " if", " if pid != 0")
_FIELDS = ("a", "b", "c", "lat", "pid", "comm")
_VARIABLES = ("v0", "v1", "v2", "ts")
_MODIFIERS: _Choices = (
    ("", "", "", ".hex", ".log2", ".buckets=10"), (".buckets=0", ".sym", ".sym-offset", ".execname", ".usecs", ".x"),
)  # fmt: skip
_KEYS: _Choices = (
    ("common_pid", "common_pid", "common_pid.execname", "common_cpu", "common_timestamp.usecs", "stacktrace"),
    ("common_timestamp", "cpu", "bogus", "", "hitcount"),
)  # fmt: skip
_SIZES: _Choices = ("128", "256", "2048", "4096"), ("0", "-1", "1000", "131072", "131073", "x", "")
_CLOCKS: _Choices = ("local", "global", "mono"), ("bogus", "")
_NUMBERS: _Choices = ("1", "2", "1000"), ("0", "-1", "0x10", "18446744073709551615", "18446744073709551616")
_OFTEN = ("vfs_", "do_sys", "sys_", "schedule", "mutex", "_raw_spin")  # how the names of many functions begin that are called
_REMOVED = 0.2  # the share of definition lines that remove
_COMMANDS = ("pause", "cont", "clear", "continue")


class _Lines:
    """The common part of both kinds of lines."""

    def __init__(self, choose: random.Random) -> None:
        self._choose = choose
        self._wrong = False

    def _begin(self) -> None:
        """Decides whether the next line may have errors."""
        self._wrong = self._choose.random() < _WRONG_LINES

    def _one(self, choices: _Choices) -> str:
        return self._choose.choice(choices[self._wrong and self._choose.random() < _WRONG])


class Definitions(_Lines):
    """Lines for kprobe_events and the like.

    Args:
        choose: the random generator.
        event: chooses an event, as its system and its name.
        functions: of the kernel.
    """

    def __init__(self, choose: random.Random, event: Callable[[], Sequence[str]], functions: Sequence[str]) -> None:
        super().__init__(choose)
        self._event = event
        self._functions = functions
        self._often = [name for name in functions if name.startswith(_OFTEN)]

    def kprobe(self) -> str:
        choose = self._choose
        self._begin()
        if choose.random() < _REMOVED:
            return self._removal(_KPROBES)
        kind = self._one((("p", "p", "r", "r3"), ("r0", "r99999", "p3", "rx")))
        return f"{kind}{self._name(_KPROBES)} {self._place()}{self._arguments()}"

    def uprobe(self) -> str:
        choose = self._choose
        self._begin()
        if choose.random() < _REMOVED:
            return self._removal(_UPROBES)
        instruction, any_byte = hex(4 * choose.randrange(_LARGEST // 4)), hex(choose.randrange(_LARGEST))
        offset = self._one(((instruction,), (any_byte, "-1", "x", hex(1 << 40))))
        place = f"{self._one(_FILES)}:{offset}{self._one(_COUNTERS)}{choose.choice(('', '', '%return'))}"
        return f"{choose.choice('ppr')}{self._name(_UPROBES)} {place}{self._arguments()}"

    def eprobe(self) -> str:
        choose = self._choose
        self._begin()
        if choose.random() < _REMOVED:
            return self._removal(_EPROBES)
        probed = choose.choice("./").join(self._event())
        return f"e{self._name(_EPROBES)} {probed}{self._arguments(_OF_FIELDS)}{self._one(_CONDITIONS)}"

    def synthetic(self) -> str:
        choose = self._choose
        self._begin()
        name = choose.choice(_MADE)
        if choose.random() < _REMOVED:
            return choose.choice((f"!{name}", f"-:{name}", f"-:synthetic/{name}"))
        return f"{name} {self._fields_made()}"

    def any(self) -> str:
        """A line for dynamic_events."""
        choose, kind = self._choose, self._choose.random()
        if kind < 0.2:
            self._begin()
            return f"s:{choose.choice(('', 'synthetic/'))}{choose.choice(_MADE)} {self._fields_made()}"
        return choose.choice((self.kprobe, self.uprobe, self.eprobe, self.eprobe))()

    def _name(self, names: Sequence[str]) -> str:
        choose = self._choose
        return "" if choose.random() < 0.05 else f":{self._one(_GROUPS)}{choose.choice(names)}"

    def _removal(self, names: Sequence[str]) -> str:
        return f"{self._one((('-',), ('!', '-p', '--')))}{self._name(names)}{self._one((('',), (' vfs_read', ' a=$arg1')))}"

    def _place(self) -> str:
        choose, kind = self._choose, self._choose.random()
        if kind < 0.1:
            return self._one(_PLACES)
        function = choose.choice(self._often if choose.random() < 0.5 else self._functions)
        return f"{function}{self._one(_OFFSETS) if choose.random() < 0.7 else f'+{4 * choose.randrange(50)}'}"

    def _arguments(self, fetched: _Choices = _FETCHED) -> str:
        choose = self._choose
        count = 130 if self._wrong and choose.random() < 0.05 else choose.randrange(4)
        return "".join(f" {self._one(_ARGUMENT_NAMES)}{self._fetched(fetched, 3)}{self._one(_TYPES)}" for _ in range(count))

    def _fetched(self, fetched: _Choices, depth: int) -> str:
        choose = self._choose
        if depth and choose.random() < 0.2:
            return f"{choose.choice(('+', '-', '+u', '-u'))}{self._one(_FETCHED_FROM)}({self._fetched(fetched, depth - 1)})"
        return self._one(fetched)

    def _fields_made(self) -> str:
        choose = self._choose
        fields = []
        for name in choose.sample(_FIELDS, choose.randrange(1, 4)) * (20 if self._wrong and choose.random() < 0.1 else 1):
            text = choose.random() < 0.3
            fields.append(self._one(_TEXTS_MADE).format(name) if text else f"{self._one(_TYPES_MADE)} {name}")
        return self._one((("; ", ";"), (" ", ",", ";;"))).join(fields)


class Hists(_Lines):
    """Hist triggers.

    Args:
        choose: the random generator.
        event: chooses an event, as its system and its name.
        field: chooses a field of the event whose trigger is written.
    """

    def __init__(self, choose: random.Random, event: Callable[[], Sequence[str]], field: Callable[[], str]) -> None:
        super().__init__(choose)
        self._event = event
        self._field = field

    def text(self) -> str:
        """A trigger without a condition."""
        choose = self._choose
        self._begin()
        keys = [self._key() for _ in range(self._one_of((1, 1, 2, 3), (4, 0)))]
        sort = (*(key.partition(".")[0] for key in keys), "hitcount", "hitcount.descending")
        parts = [f"hist:keys={','.join(keys)}"]
        chances: Sequence[tuple[float, Callable[[], str]]] = (
            (0.2, lambda: f"{choose.choice(('vals', 'values', 'val'))}={self._one((('hitcount', self._field()), ('x', '')))}"),
            (0.4, self._assignments),
            (0.2, lambda: f"sort={self._one((sort, ('bogus', '', 'hitcount.x')))}"),
            (0.2, lambda: f"size={self._one(_SIZES)}"),
            (0.1, lambda: f"name={self._one((('n0', 'n1', 'n2'), ('',)))}"),
            (0.1, lambda: f"clock={self._one(_CLOCKS)}"),
            (0.3, self._action),
            (0.1, self._action),
            (0.15, lambda: choose.choice(_COMMANDS)),
        )
        parts += [part() for chance, part in chances if choose.random() < chance]
        return ":".join(parts)

    def _one_of(self, right: Sequence[int], wrong: Sequence[int]) -> int:
        return self._choose.choice(wrong if self._wrong and self._choose.random() < _WRONG else right)

    def _key(self) -> str:
        return self._one(_KEYS) if self._choose.random() < 0.5 else f"{self._field()}{self._one(_MODIFIERS)}"

    def _assignments(self) -> str:
        choose = self._choose
        pairs = [f"{choose.choice(_VARIABLES)}={self._expression(2)}" for _ in range(choose.choice((1, 1, 2, 3)))]
        return choose.choice((",", ":", ",")).join(pairs)

    def _expression(self, depth: int) -> str:
        choose, kind = self._choose, self._choose.random()
        if depth and kind < 0.3:
            return f"{self._expression(depth - 1)}{choose.choice('+-*/+-')}{self._expression(depth - 1)}"
        if depth and kind < 0.4:
            return f"-({self._expression(depth - 1)})"
        known = ("common_timestamp.usecs", "common_timestamp", "common_cpu", self._one(_NUMBERS), self._field())
        return choose.choice((*known, self._reference()))

    def _reference(self) -> str:
        choose = self._choose
        of = f"{'.'.join(self._event())}." if choose.random() < 0.1 else ""
        return f"{of}${choose.choice(_VARIABLES)}"

    def _action(self) -> str:
        """Half of the actions are onmatch() and create an event; the others use a variable of this trigger."""
        choose = self._choose
        made = choose.choice(_MADE)
        values = (self._field(), self._reference(), "common_pid")
        parameters = ",".join(choose.choices(values, k=choose.randrange(1, 4)))
        makes = f"trace({made},{parameters})", f"{made}({parameters})"
        wrong = "bogus()", "save", "trace()", "snapshot(", "save()"
        if choose.random() < 0.5:
            return f"onmatch({'.'.join(self._event())}).{self._one((makes, wrong))}"
        variable = choose.choice(_VARIABLES)
        wrong_handlers = "onmax($bogus)", "onmatch", "onchange()", "bogus()"
        handler = self._one(((f"onmax(${variable})", f"onchange(${variable})"), wrong_handlers))
        defined = f"{variable}={self._field()}:" if choose.random() < 0.8 else ""
        return f"{defined}{handler}.{self._one(((f'save({parameters})', 'snapshot()', *makes), wrong))}"
