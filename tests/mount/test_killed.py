# SPDX-License-Identifier: GPL-2.0-only
"""`emu mount` is ended at random moments, in all ways: nothing hangs or stays mounted. The soak does more of this."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lib.mounted import needs_fuse
from tests.soak import KILLS, SUITE
from tests.soak.kills import end_at_random

pytestmark = needs_fuse


@pytest.mark.parametrize("number", range(int(KILLS * SUITE)))
def test_ended_at_a_random_moment(number: int, tmp_path: Path) -> None:
    end_at_random(number, tmp_path / "t")
