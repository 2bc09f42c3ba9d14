# SPDX-License-Identifier: GPL-2.0-only
"""Programs of the host that a test needs. What belongs to the project, the guest's images above all, is never skipped."""

from __future__ import annotations

import shutil

import pytest

__all__ = ["needs"]


def needs(*programs: str) -> pytest.MarkDecorator:
    """A mark for tests that are skipped where the host lacks one of the programs. The reason names those that are missing."""
    missing = [name for name in programs if shutil.which(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}")
