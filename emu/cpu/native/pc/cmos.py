# SPDX-License-Identifier: GPL-2.0-only
"""The real-time clock and its memory (Motorola MC146818A). It shows the virtual time; nothing sets it."""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.cpu.native.pc.records import CMOS_SIZE, Pc
from emu.native.functions import njit
from emu.native.records import u64

__all__ = ["read", "write"]

SECONDS, MINUTES, HOURS, WEEKDAY, DAY, MONTH, YEAR = 0, 2, 4, 6, 7, 8, 9
STATUS_A, STATUS_B, STATUS_C, STATUS_D, CENTURY = 10, 11, 12, 13, 0x32
DIVIDER, HOURS_24, BATTERY = 0x26, 0x02, 0x80  # what the status registers A, B and D read as
DAY_SECONDS, FEBRUARY = 86_400, 2
THURSDAY = 4  # the first day of 1970; Sunday is 0, and the register counts from 1
FOUR_CENTURIES, CENTURY_DAYS, FOUR_YEARS, YEAR_DAYS = 146_097, 36_524, 1_461, 365
THREE_YEARS, FOUR_CENTURIES_LESS = FOUR_YEARS - 1, FOUR_CENTURIES - 1
MARCH_0 = 719_468  # days from March 1 of the year 0 to 1970


@njit
def bcd(value: u64) -> u64:
    return value // 10 << 4 | value % 10


@njit
def date(days: u64) -> u64:
    """The date so many days after 1970: year << 16 | month << 8 | day. Years that begin in March make leap days their last."""
    since = days + MARCH_0
    era, day_of_era = since // FOUR_CENTURIES, since % FOUR_CENTURIES
    leap_days = day_of_era // THREE_YEARS - day_of_era // CENTURY_DAYS + day_of_era // FOUR_CENTURIES_LESS
    years = (day_of_era - leap_days) // YEAR_DAYS
    day_of_year = day_of_era - (YEAR_DAYS * years + years // 4 - years // 100)
    month_from_march = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month_from_march + 2) // 5 + 1
    month = month_from_march + 3 if month_from_march < 10 else month_from_march - 9
    year = era * 400 + years
    if month <= FEBRUARY:
        year += 1
    return year << 16 | month << 8 | day


@njit
def read(cpu: Cpu, register: u64) -> u64:
    pc = Pc(cpu.board.devices)
    now = pc.epoch + cpu.cycles // pc.frequency
    of_day, days = now % DAY_SECONDS, now // DAY_SECONDS
    if register == SECONDS:
        return bcd(of_day % 60)
    if register == MINUTES:
        return bcd(of_day // 60 % 60)
    if register == HOURS:
        return bcd(of_day // 3600)
    if register == WEEKDAY:
        return (days + THURSDAY) % 7 + 1
    if register == DAY:
        return bcd(date(days) & 0xFF)
    if register == MONTH:
        return bcd(date(days) >> 8 & 0xFF)
    if register == YEAR:
        return bcd((date(days) >> 16) % 100)
    if register == CENTURY:
        return bcd((date(days) >> 16) // 100)
    if register == STATUS_A:
        return DIVIDER
    if register == STATUS_B:
        return HOURS_24
    if register == STATUS_C:
        return 0
    if register == STATUS_D:
        return BATTERY
    return pc.cmos[register % CMOS_SIZE]


@njit
def write(cpu: Cpu, register: u64, value: u64) -> None:
    is_alarm = register < WEEKDAY and register & 1 != 0  # it never comes
    if is_alarm or (register > STATUS_D and register != CENTURY):
        Pc(cpu.board.devices).cmos[register % CMOS_SIZE] = value
