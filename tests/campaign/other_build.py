# SPDX-License-Identifier: GPL-2.0-only
"""Preloaded by a worker: its emu has another build."""

import emu.campaign.worker

emu.campaign.worker.build = lambda: {"emu": "0123"}  # type: ignore[assignment]
