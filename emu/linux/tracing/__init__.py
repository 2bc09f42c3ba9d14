# SPDX-License-Identifier: GPL-2.0-only
"""Traces a Linux guest from outside (docs/tracing-from-outside.md): the host looks, and nothing of the guest changes."""
