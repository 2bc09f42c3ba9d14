# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios: which code is changed, by which protocol, under which fetch models; as objects and as text files."""
