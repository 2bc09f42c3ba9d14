# SPDX-License-Identifier: GPL-2.0-only
"""Tests whether two samples differ by more than chance, when many pairs of samples are tested at once.

Samples are compared by their ranks (Mann and Whitney), numbers of events by Fisher's exact test. The level applies to all
tests together: it is the probability that any test raises a false alarm. A test that could not raise one, whatever its
samples are, costs nothing (Tarone, Biometrics 46 (1990), 515).
"""

from __future__ import annotations

from math import exp, lgamma

import numpy as np
from numpy.typing import NDArray

__all__ = ["NAME", "fisher", "least_of_fisher", "least_of_ranks", "ranks", "tarone"]

NAME = "Mann-Whitney and Fisher tests, two-sided; Tarone's correction"

_CERTAIN = 1.0
_SMALL, _FEW = 0.05, 1000  # smaller probabilities are counted exactly, up to this many pairs of values


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def least_of_ranks(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """The smallest probability that `ranks` can yield for any distribution of these values to the two samples."""
    if not len(first) or not len(second):
        return _CERTAIN
    values = np.sort(np.concatenate([first, second]))
    whole = _log_choose(len(values), len(first))
    ends = [_of_the_first(values, len(first)), _of_the_first(values[::-1], len(first))]
    farthest = max(distance for _, distance in ends)
    return min(_CERTAIN, sum(exp(ways - whole) for ways, distance in ends if distance == farthest))


def _of_the_first(values: NDArray[np.float64], count: int) -> tuple[float, int]:
    """For the sample of the first values in sorted order: the logarithm of the number of ways to choose it (there are several if
    its last value occurs again); and twice the distance of its rank sum from the mean."""
    same = values == values[count - 1]
    before, group = int(np.argmax(same)), int(np.count_nonzero(same))
    taken = count - before
    doubled = before * (before + 1) + taken * (2 * before + group + 1)  # equal values share a rank, their mean
    return _log_choose(group, taken), count * (len(values) + 1) - doubled


def least_of_fisher(first: int, second: int, events: int) -> float:
    """The smallest probability that `fisher` can yield for these numbers of units, of which `events` have the event."""
    whole = _log_choose(first + second, events)
    extremes = (min(events, first), max(0, events - second))  # of the number of events on the first side
    return min(exp(_log_choose(first, one) + _log_choose(second, events - one) - whole) for one in extremes)


def ranks(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """The probability that two samples of one distribution differ as much as these."""
    from scipy.stats import mannwhitneyu

    least = least_of_ranks(first, second)
    if least == _CERTAIN:
        return _CERTAIN
    about = float(mannwhitneyu(first, second, method="asymptotic").pvalue)
    if about < _SMALL and len(first) * len(second) <= _FEW:
        return _counted(first, second)
    return max(least, about)


def _counted(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """The fraction of all ways to divide the values between the samples whose rank sum is at least as far from the mean."""
    from scipy.stats import rankdata

    doubled = (2 * rankdata(np.concatenate([first, second]))).astype(int)  # equal values may have half ranks
    ways = np.zeros((len(first) + 1, int(doubled.sum()) + 1))  # to choose a number of values with a given sum
    ways[0, 0] = 1
    for rank in doubled.tolist():
        ways[1:, rank:] += ways[:-1, :-rank].copy()
    sums = ways[-1]
    distance = np.abs(np.arange(len(sums)) * len(doubled) - len(first) * int(doubled.sum()))
    observed = distance[int(doubled[: len(first)].sum())]
    return float(sums[distance >= observed].sum() / sums.sum())


def fisher(first: int, of_first: int, second: int, of_second: int) -> float:
    """The same for events: in `first` of `of_first` units, and in `second` of `of_second`."""
    from scipy.stats import fisher_exact

    return float(fisher_exact([[first, of_first - first], [second, of_second - second]]).pvalue)


def tarone(least: NDArray[np.float64], level: float) -> float:
    """The level for each test, given the smallest probabilities that the tests can yield: `level`, divided by a number that is at
    least the number of tests that can be below it."""
    ascending = np.sort(least)
    tests = 1
    while np.searchsorted(ascending, level / tests, side="right") > tests:
        tests += 1
    return level / tests
