# SPDX-License-Identifier: GPL-2.0-only
"""How far predictions are from measurements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["Errors", "errors", "kendall_tau"]


class Errors(NamedTuple):
    """The errors of one way of predicting."""

    number: int  # of predictions
    mean: float  # of |predicted - measured| / measured
    median: float
    tau: float  # how well the order is predicted: 1 is perfectly, 0 not at all
    signed: float  # mean of (predicted - measured) / measured
    bias: float  # of the sum: (predicted - measured) / measured


def errors(predicted: Sequence[float], measured: Sequence[float]) -> Errors:
    """The errors of predictions of measurements, none of which is 0.

    >>> errors([1.0, 3.0], [1.0, 2.0])
    Errors(number=2, mean=0.25, median=0.25, tau=1.0, signed=0.25, bias=0.3333333333333333)
    """
    if not measured:
        return Errors(0, *[float("nan")] * 5)
    p, m = np.array(predicted, float), np.array(measured, float)
    signed = (p - m) / m
    relative = np.abs(signed)
    tau, bias = kendall_tau(predicted, measured), float(p.sum() / m.sum() - 1)
    return Errors(len(m), float(relative.mean()), float(np.median(relative)), tau, float(signed.mean()), bias)


def kendall_tau(a: Sequence[float], b: Sequence[float]) -> float:
    """Kendall's tau-b: the pairs in the same order less those in opposite order, over the pairs that differ in each."""
    x, y = np.array(a, float), np.array(b, float)
    in_order = differ_x = differ_y = 0
    for n in range(len(x) - 1):
        dx, dy = np.sign(x[n + 1 :] - x[n]), np.sign(y[n + 1 :] - y[n])
        in_order += int((dx * dy).sum())
        differ_x += int(np.abs(dx).sum())
        differ_y += int(np.abs(dy).sum())
    return in_order / float(np.sqrt(differ_x) * np.sqrt(differ_y)) if differ_x and differ_y else float("nan")
