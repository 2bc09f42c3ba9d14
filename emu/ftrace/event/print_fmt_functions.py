# SPDX-License-Identifier: GPL-2.0-only
"""The functions that a print fmt's expressions may call: TP_printk's helpers, and known kernel functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Mapping, Sequence
from functools import lru_cache, partial

from emu.ftrace.event.c_expressions import Expressions, Node, PrintFmtError, Text, Value
from emu.ftrace.event.c_numbers import INT, U64, CType, CTypes, Number, arithmetic, constant, fit
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.constants import Constants
from emu.ftrace.event.known_function import KnownFunction
from emu.ftrace.event.print_fmt_calls import flags

__all__ = ["PrintFmtExpressions"]

_ARGUMENT = CType(8, False)  # a KnownFunction's arguments and result are 64-bit numbers


class PrintFmtExpressions(Expressions):
    """Translates C expressions that may call a print fmt's helpers.

    Args: as for `compile_arguments`.
    """

    def __init__(
        self,
        call: EventCall,
        symbols: Container[str],
        constants: Constants,
        functions: Mapping[str, KnownFunction],
        types: CTypes,
    ) -> None:
        super().__init__(call, symbols, constants, types)
        self._functions = functions

    def _function_call(self, node: Node) -> Value:
        name = getattr(node.name, "name", "")
        arguments: Sequence[Node] = node.args.exprs if node.args else ()
        if name in self._functions:
            return self._known_function(name, arguments)
        if name not in _FUNCTIONS:
            return super()._function_call(node)
        try:
            call = inspect.signature(_FUNCTIONS[name]).bind(self, *arguments)
        except TypeError as error:
            raise PrintFmtError(f"{name}(): {error}") from error
        return _FUNCTIONS[name](*call.args)

    def _known_function(self, name: str, nodes: Sequence[Node]) -> Value:
        function = self._functions[name]
        if len(nodes) != len(function.parameters):
            raise PrintFmtError(f"{name}() has {len(function.parameters)} arguments, not {len(nodes)}")
        given = [
            self._memory(node).code if parameter == "m" else self._fitted(node, _ARGUMENT)
            for node, parameter in zip(nodes, function.parameters, strict=True) if parameter != "-"
        ]  # fmt: skip
        code = f"{self.kept(function.call)}({', '.join(given)})"
        return Text(code) if function.is_text else Number(code, _ARGUMENT, 0, _ARGUMENT.high)

    def _get_str(self, name: Node) -> Value:
        return Text(f"c_string({self._dynamic(name).code})")

    def _get_dynamic_array_len(self, name: Node) -> Value:
        word = self._located(name)[1]
        return Number(f"({word.code} >> 16)", INT, 0, 0xFFFF)

    def _get_bitmask(self, name: Node) -> Value:
        return Text(f"bitmap({self._dynamic(name).code})")

    def _pairs(self, nodes: Sequence[Node], type_: CType) -> list[tuple[int, str]]:
        """The constants in a list of `{ number, "text" }`, converted to a type. The list may end with `{ -1, NULL }`."""
        pairs = []
        for node in nodes:
            pair = [self.of(part) for part in node.init.exprs] if type(node).__name__ == "CompoundLiteral" else []
            match pair:
                case [Number(is_constant=True) as number, Text(literal=str(name))]:
                    pairs.append((fit(number, type_).low, name))
                case [Number(), Number(low=0, high=0)]:
                    break
                case _:
                    raise PrintFmtError("the choices are not a list of numbers with their names")
        return pairs

    def _print_flags(self, value: Node, separator: Node, *pairs: Node) -> Value:
        return self._flags(self._types.unsigned_long, value, separator, pairs)

    def _print_flags_u64(self, value: Node, separator: Node, *pairs: Node) -> Value:
        return self._flags(U64, value, separator, pairs)

    def _flags(self, type_: CType, value: Node, separator: Node, pairs: Sequence[Node]) -> Value:
        between = self.of(separator)
        if not isinstance(between, Text) or between.literal is None:
            raise PrintFmtError("the delimiter of flags is not a string")
        text = lru_cache(maxsize=1024)(partial(flags, separator=between.literal, names=self._pairs(pairs, type_)))
        return Text(f"{self.kept(text)}({self._fitted(value, type_)})")

    def _print_symbolic(self, value: Node, *pairs: Node) -> Value:
        return self._symbolic(self._types.unsigned_long, value, pairs)

    def _print_symbolic_u64(self, value: Node, *pairs: Node) -> Value:
        return self._symbolic(U64, value, pairs)

    def _symbolic(self, type_: CType, value: Node, pairs: Sequence[Node]) -> Value:
        names = dict(reversed(self._pairs(pairs, type_)))  # the first one of equal numbers counts
        return Text(f"symbolic({self._fitted(value, type_)}, {self.kept(names)})")

    def _print_hex(self, memory: Node, length: Node) -> Value:
        return self._hex_dump(memory, length, " ")

    def _print_hex_str(self, memory: Node, length: Node) -> Value:
        return self._hex_dump(memory, length, "")

    def _hex_dump(self, memory: Node, length: Node, separator: str) -> Value:
        return Text(f"hex_dump({self._memory(memory).code}[:max({self._fitted(length, INT)}, 0)], {separator!r})")

    def _print_array(self, memory: Node, count: Node, size: Node) -> Value:
        return Text(f"array({self._memory(memory).code}, {self._fitted(count, INT)}, {self._fitted(size, INT)})")

    def _print_ns_to_secs(self, value: Node) -> Value:
        return arithmetic("/", fit(self._number(value), U64), constant(10**9, U64))

    def _print_ns_without_secs(self, value: Node) -> Value:
        rest = arithmetic("%", fit(self._number(value), U64), constant(10**9, U64))
        return fit(rest, CType(4, False))

    def _jiffies_to_msecs(self, value: Node) -> Value:
        ticks = self._kernel_value("HZ")
        return fit(arithmetic("/", arithmetic("*", fit(self._number(value), U64), constant(1000, U64)), ticks), CType(4, False))

    def _same(self, value: Node) -> Value:
        """pte_val() and native_make_pte(): the number in a structure of one member, and such a structure."""
        return self._number(value)

    def _builtin_expect(self, value: Node, _expected: Node) -> Value:
        return fit(self._number(value), self._types.long)


_LEVELS = ("pte", "pmd", "pud", "p4d", "pgd")  # of page tables

# The functions that a print fmt may call
_FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "__get_str": PrintFmtExpressions._get_str,
    "__get_rel_str": PrintFmtExpressions._get_str,
    "__get_dynamic_array": PrintFmtExpressions._dynamic,
    "__get_rel_dynamic_array": PrintFmtExpressions._dynamic,
    "__get_dynamic_array_len": PrintFmtExpressions._get_dynamic_array_len,
    "__get_rel_dynamic_array_len": PrintFmtExpressions._get_dynamic_array_len,
    "__get_bitmask": PrintFmtExpressions._get_bitmask,
    "__get_rel_bitmask": PrintFmtExpressions._get_bitmask,
    "__get_cpumask": PrintFmtExpressions._get_bitmask,
    "__get_rel_cpumask": PrintFmtExpressions._get_bitmask,
    "__get_sockaddr": PrintFmtExpressions._dynamic,
    "__get_rel_sockaddr": PrintFmtExpressions._dynamic,
    "__print_flags": PrintFmtExpressions._print_flags,
    "__print_flags_u64": PrintFmtExpressions._print_flags_u64,
    "__print_symbolic": PrintFmtExpressions._print_symbolic,
    "__print_symbolic_u64": PrintFmtExpressions._print_symbolic_u64,
    "__print_hex": PrintFmtExpressions._print_hex,
    "__print_hex_str": PrintFmtExpressions._print_hex_str,
    "__print_array": PrintFmtExpressions._print_array,
    "__print_ns_to_secs": PrintFmtExpressions._print_ns_to_secs,
    "__print_ns_without_secs": PrintFmtExpressions._print_ns_without_secs,
    "__builtin_expect": PrintFmtExpressions._builtin_expect,
    "jiffies_to_msecs": PrintFmtExpressions._jiffies_to_msecs,
    **{f"{level}_val": PrintFmtExpressions._same for level in _LEVELS},
    **{f"native_make_{level}": PrintFmtExpressions._same for level in _LEVELS},
}
