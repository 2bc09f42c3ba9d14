# SPDX-License-Identifier: GPL-2.0-only
"""The numbers by which %p hides addresses. Equal addresses have equal numbers, of 32 bits."""

from __future__ import annotations

import hashlib

__all__ = ["KEY_SIZE", "keyed_hash", "siphash"]

KEY_SIZE = 16  # bytes of the key of SipHash

_WORD = (1 << 64) - 1
_START = b"somepseudorandomlygeneratedbytes"  # of the paper "SipHash: a fast short-input PRF", section 2.2
_COMPRESSIONS, _FINALISATIONS = 2, 4


def keyed_hash(key: int, address: int) -> int:
    """emu's own. `key`: varies the numbers."""
    digest = hashlib.blake2b(address.to_bytes(8, "little"), digest_size=4, key=key.to_bytes(8, "little"))
    return int.from_bytes(digest.digest())


def siphash(key: bytes, address: int) -> int:
    """Linux's: the low half of SipHash-2-4 of the address. `key`: KEY_SIZE bytes, the kernel's variable ptr_key."""
    words = [int.from_bytes(key[at : at + 8], "little") for at in range(0, KEY_SIZE, 8)]
    state = [int.from_bytes(_START[at : at + 8], "big") ^ words[at // 8 % 2] for at in range(0, len(_START), 8)]
    for word in (address, 8 << 56):  # the last word ends with the number of bytes
        state[3] ^= word
        for _ in range(_COMPRESSIONS):
            _round(state)
        state[0] ^= word
    state[2] ^= 0xFF
    for _ in range(_FINALISATIONS):
        _round(state)
    return (state[0] ^ state[1] ^ state[2] ^ state[3]) & 0xFFFF_FFFF


def _round(state: list[int]) -> None:
    """SipRound."""
    a, b, c, d = state
    a, c = a + b & _WORD, c + d & _WORD
    b, d = _rotated(b, 13) ^ a, _rotated(d, 16) ^ c
    a, c = _rotated(a, 32) + d & _WORD, c + b & _WORD
    d, b = _rotated(d, 21) ^ a, _rotated(b, 17) ^ c
    state[:] = a, b, _rotated(c, 32), d


def _rotated(value: int, by: int) -> int:
    return (value << by | value >> 64 - by) & _WORD
