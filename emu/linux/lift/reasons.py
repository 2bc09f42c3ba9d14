# SPDX-License-Identifier: GPL-2.0-only
"""What is lifted up to, and why code cannot be lifted."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CannotLift", "NoCall", "Target"]


class CannotLift(Exception):
    """Code does what lifted code cannot do. The message says what: "its code ..."."""

    def within(self, function: tuple[str, int] | None) -> CannotLift:
        """The same, with the function that does it, given by its name and the offset in it, unless that is known already."""
        if function is None or isinstance(self, (NoCall, _Within)):
            return self
        return _Within(f"{self} (in {function[0]})")


class _Within(CannotLift):
    """The message names the function."""


class NoCall(CannotLift):
    """Code does not lead to the call of a tracepoint's functions."""

    def __init__(self) -> None:
        super().__init__("does not call the tracepoint's functions")


@dataclass(frozen=True)
class Target:
    """The call of a tracepoint's functions.

    Attributes:
        functions: the addresses that are called, any of them: that of the static call, of the iterator, of the functions.
        stack_words: how many arguments are on the stack.
        funcs: the address of the tracepoint's list of functions, which is taken not to be empty.
    """

    functions: frozenset[int]
    stack_words: int
    funcs: int
