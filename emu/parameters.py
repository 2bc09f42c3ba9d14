# SPDX-License-Identifier: GPL-2.0-only
"""Constructors that take the fields of a dataclass as parameters."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

__all__ = ["parameters_of"]

P = ParamSpec("P")
M = TypeVar("M")
C = TypeVar("C")


def parameters_of(cls: Callable[P, C]) -> Callable[[Callable[[M, C], None]], Callable[Concatenate[M, P], None]]:
    """A decorator for a constructor that takes one object of a class: it takes that object's parameters instead."""

    def decorate(constructor: Callable[[M, C], None]) -> Callable[Concatenate[M, P], None]:
        @functools.wraps(constructor)
        def construct(self: M, /, *args: P.args, **parameters: P.kwargs) -> None:
            constructor(self, cls(*args, **parameters))

        own, *_ = inspect.signature(constructor).parameters.values()
        taken = inspect.signature(cls).parameters.values()
        construct.__signature__ = inspect.Signature([own, *taken])  # type: ignore[attr-defined]
        return construct

    return decorate
