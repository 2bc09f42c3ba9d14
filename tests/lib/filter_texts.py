# SPDX-License-Identifier: GPL-2.0-only
"""Random texts of filters, valid and invalid."""

from __future__ import annotations

from random import Random

__all__ = ["random_text"]

WORDS = (
    *"()!~<>&|=-'\"*? \t0.", "&&", "||", "==", "!=", "<=", ">=", "pid", "name", "big", "cpu", "comm", "site", "path", "pair",
    ".ustring", ".function", "vfs_read", "nosuch", "1", "0x1f", "'x'", '"a*"', "é", "\0", "99999999999999999999",
)  # fmt: skip
PREDICATES = (
    "pid == 1", "name ~ 'a*'", 'comm != "x"', "big & 0x10", "cpu < 2", "site.function == vfs_read", "path.ustring == 'x'",
)  # fmt: skip


def random_text(random: Random) -> str:
    """Random words, or a filter in which some words may have been changed.

    Its fields are pid, name, big, site and path, of which some are strings.
    """
    if random.random() < 0.3:
        return "".join(random.choices(WORDS, k=random.randrange(30)))
    words = random.choice(PREDICATES).split(" ")
    for _ in range(random.randrange(4)):
        more = random.choice(PREDICATES).split(" ")
        words = random.choice(([*words, "&&", *more], [*words, "||", *more], ["!", "(", *words, ")"], ["(", *words, ")"]))
    for _ in range(random.randrange(3)):
        place = random.randrange(len(words) + 1)
        words[place : place + random.randrange(2)] = random.choices(WORDS, k=random.randrange(2))
    return random.choice(("", " ")).join(words)
