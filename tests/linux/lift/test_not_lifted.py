# SPDX-License-Identifier: GPL-2.0-only
"""Which tracepoints of real kernels cannot be lifted: few, and those that are listed."""

from __future__ import annotations

import pytest

from tests.lib.events_on_both_sides import kernel_of
from tests.lib.not_lifted import DATA, list_of

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

MOST = 0.06  # of the tracepoints with events
LISTS = sorted(DATA.glob("not_lifted-*.txt"))


@pytest.mark.long("all tracepoints of a kernel")
@pytest.mark.parametrize("version", [path.stem.removeprefix("not_lifted-") for path in LISTS])
def test_few_tracepoints_are_refused(version: str) -> None:
    found = list_of(kernel_of(version).path)
    assert len(found.refused) <= MOST * found.tracepoints, found.text()
    assert found.text() == (DATA / f"not_lifted-{version}.txt").read_text()


def test_the_lists_are_of_two_kernels_at_least() -> None:
    """Linux 6.1 and 6.12."""
    versions = {path.stem.removeprefix("not_lifted-").rpartition(".")[0] for path in LISTS}
    assert len(versions) >= 2 and {"6.1.0-56-cloud-amd64"[:3]} <= {version[:3] for version in versions}
