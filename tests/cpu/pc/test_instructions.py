# SPDX-License-Identifier: GPL-2.0-only
"""CPUID, model-specific registers and the time stamp counter (Intel SDM volume 2A, volume 3 section 18.17, volume 4)."""

from __future__ import annotations

import pytest

from emu.cpu.native.pc.instructions import CAPABILITIES
from tests.cpu.pc.bare_pc import KEEP, TSC, BarePc, rdmsr, results, wait, wrmsr

TSC_MSR, APIC_BASE, ADJUST, SPEC_CTRL, ARCH_CAPABILITIES, TSC_AUX = 0x10, 0x1B, 0x3B, 0x48, 0x10A, 0xC000_0103
ENABLED, BOOT_CPU = 1 << 11, 1 << 8


def cpuid(leaf: int, subleaf: int = 0, *, cpus: int = 1, on: int = 0, frequency: int = 1_000_000_000) -> list[int]:
    """EAX, EBX, ECX and EDX on one CPU."""
    code = f"mov eax, {leaf:#x}; mov ecx, {subleaf}; cpuid; mov esi, edx; "
    code += KEEP + "".join(f"mov eax, {register}; {KEEP}" for register in ("ebx", "ecx", "esi"))
    pc = BarePc(cpus, frequency=frequency)
    return pc.run(*[""] * on, code).results(on)


def bits(value: int, high: int, low: int) -> int:
    return value >> low & (1 << high - low + 1) - 1


def test_the_leaves_that_there_are() -> None:
    """Leaf 0 and 0x80000000: the highest ones. Beyond them everything is 0."""
    highest, *name = cpuid(0)
    assert highest == 0x16
    assert b"".join(name[n].to_bytes(4, "little") for n in (0, 2, 1)) in (b"GenuineIntel", b"AuthenticAMD")
    assert cpuid(0x8000_0000)[0] == 0x8000_0008
    for leaf in (0x17, 0x1000, 0x4000_0000, 0x8000_0009, 0xFFFF_FFFF):
        assert cpuid(leaf) == [0, 0, 0, 0]


def test_features() -> None:
    """Leaf 1: the APIC's ID and the number of CPUs. No MONITOR, x2APIC or RDRAND, but the TSC deadline; OSXSAVE follows CR4."""
    for cpus, on in ((1, 0), (3, 2)):
        _, ebx, ecx, edx = cpuid(1, cpus=cpus, on=on)
        assert (bits(ebx, 31, 24), bits(ebx, 23, 16)) == (on, cpus)
        assert [ecx >> bit & 1 for bit in (3, 21, 24, 27, 30)] == [0, 0, 1, 0, 0]
        assert (edx >> 4 & 1, edx >> 9 & 1, edx >> 28 & 1) == (1, 1, cpus > 1)  # TSC, APIC, several CPUs
    code = "mov rax, cr4; or eax, 0x40000; mov cr4, rax; mov eax, 1; cpuid; mov rax, cr4; shr eax, 18; and eax, 1; " + KEEP
    (has_xsave,) = results(code)
    assert results(code + "mov eax, 1; cpuid; shr ecx, 27; and ecx, 1; mov eax, ecx; " + KEEP)[-1] == has_xsave


def test_caches() -> None:
    """Leaf 4: each belongs to one CPU; the list ends with type 0."""
    kinds = []
    for subleaf in range(8):
        eax, _, _, _ = cpuid(4, subleaf, cpus=4)
        kinds.append(eax & 0x1F)
        if eax & 0x1F:
            assert (bits(eax, 31, 26), bits(eax, 25, 14)) == (3, 0)
    assert 0 in kinds[1:]
    assert not any(kinds[kinds.index(0) :])


def test_the_side_channels() -> None:
    """Leaf 7, EDX: IBRS, STIBP, ARCH_CAPABILITIES and SSBD; in subleaf 2, BHI_CTRL."""
    eax, _, _, edx = cpuid(7)
    assert (eax, edx) == (2, 1 << 26 | 1 << 27 | 1 << 29 | 1 << 31)
    assert cpuid(7, 1) == [0, 0, 0, 0]
    assert cpuid(7, 2) == [0, 0, 0, 1 << 4]


@pytest.mark.parametrize(("cpus", "shift"), [(1, 0), (2, 1), (3, 2), (5, 3), (16, 4)])
def test_the_topology(cpus: int, shift: int) -> None:
    """Leaf 0xB: one thread per core, all cores in one package; each level with its type, the CPU's ID in EDX."""
    last = cpus - 1
    assert cpuid(0xB, 0, cpus=cpus, on=last) == [0, 1, 1 << 8, last]
    assert cpuid(0xB, 1, cpus=cpus, on=last) == [shift, cpus, 2 << 8 | 1, last]
    assert cpuid(0xB, 2, cpus=cpus, on=last) == [0, 0, 2, last]


@pytest.mark.parametrize("frequency", [1_000_000_000, 2_400_000_000, 1_234_567_000])
def test_the_frequencies(frequency: int) -> None:
    """Leaf 0x15: the counter's is the crystal's times EBX, divided by EAX. Leaf 0x16: in MHz."""
    denominator, numerator, crystal, _ = cpuid(0x15, frequency=frequency)
    assert crystal * numerator == frequency * denominator
    assert cpuid(0x16, frequency=frequency) == [frequency // 10**6, frequency // 10**6, 100, 0]


def test_the_counter_is_invariant_and_the_timer_does_not_stop() -> None:
    """Leaf 0x80000007, EDX bit 8; leaf 6, EAX bit 2 (ARAT)."""
    assert cpuid(0x8000_0007)[3] == 1 << 8
    assert cpuid(6) == [1 << 2, 0, 0, 0]


# Model-specific registers


@pytest.mark.parametrize("register", [SPEC_CTRL, TSC_AUX, 0x1A0, ADJUST])
def test_registers_that_keep_their_value(register: int) -> None:
    assert results(wrmsr(register, 0x1_2345_6789) + rdmsr(register) + KEEP) == [0x1_2345_6789]


def test_the_base_of_the_apic() -> None:
    """Volume 3, 11.4.4: bit 8 on the boot CPU. The APIC can be switched off; it does not move."""
    for cpu, boot in ((0, BOOT_CPU), (1, 0)):
        code = rdmsr(APIC_BASE) + KEEP + wrmsr(APIC_BASE, 0xFFFF_F800) + rdmsr(APIC_BASE) + KEEP + wrmsr(APIC_BASE,
            0x1000 | ENABLED)
        pc = BarePc(2).run(*[""] * cpu, code + rdmsr(APIC_BASE) + KEEP)
        assert pc.results(cpu) == [0xFEE0_0000 | ENABLED | boot, 0xFEE0_0000 | ENABLED | boot, 0xFEE0_0000 | ENABLED | boot]
    assert results(wrmsr(APIC_BASE, 0) + rdmsr(APIC_BASE) + KEEP) == [0xFEE0_0000 | BOOT_CPU]


def test_capabilities_and_commands() -> None:
    """ARCH_CAPABILITIES is read-only; PRED_CMD and FLUSH_CMD read as 0."""
    code = wrmsr(ARCH_CAPABILITIES, 0) + wrmsr(0x49, 1) + wrmsr(0x10B, 1)
    assert results(code + "".join(rdmsr(n) + KEEP for n in (ARCH_CAPABILITIES, 0x49, 0x10B))) == [CAPABILITIES, 0, 0]


@pytest.mark.parametrize("register", [0x11E, 0x345, 0x4B564D00, 0xC001_0015, 0xFFFF_FFFF])
def test_unknown_registers_are_zeros(register: int) -> None:
    """As with QEMU, they cause no exception."""
    assert results("mov eax, 1; mov edx, 1; " + wrmsr(register, 7) + rdmsr(register) + KEEP) == [0]


def test_registers_of_the_translator() -> None:
    """Those of system calls and segments are Unicorn's."""
    for register in (0xC000_0082, 0xC000_0100, 0xC000_0102):
        assert results(wrmsr(register, 0xFFFF_8000_1234_5678) + rdmsr(register) + KEEP) == [0xFFFF_8000_1234_5678]


# Time


def test_writing_the_counter_changes_the_adjustment() -> None:
    """18.17.3: by as much, also long after the counter was last read; and the other way round."""
    before, adjusted = results(wait(5000) + wrmsr(TSC_MSR, 1_000_000) + TSC + KEEP + rdmsr(ADJUST) + KEEP)
    assert 0 <= before - 1_000_000 < 50
    assert 0 <= 1_000_000 - adjusted - 10_000 < 100
    (after,) = results(wrmsr(ADJUST, 1 << 40) + rdmsr(TSC_MSR) + KEEP)
    assert 0 < after - (1 << 40) < 100


def test_the_counter_never_goes_back_over_all_cpus() -> None:
    """A CPU that has seen another's time, through memory, reads no earlier one."""
    counter, cpus = 0x100000, 4
    read = f"""
        mov ebx, 300; mov rdi, {counter:#x}
        again: mov al, 1; xchg [rdi], al; test al, al; jnz again
        rdtsc; shl rdx, 32; or rax, rdx; cmp rax, [rdi + 8]; jae fine; inc qword ptr [rdi + 16]
        fine: mov [rdi + 8], rax; mov byte ptr [rdi], 0; dec ebx; jnz again
    """.strip().replace("\n", ";")
    for seed in range(2):
        pc = BarePc(cpus, seed=seed).run(*[read] * cpus)
        assert pc.read(counter + 16) == 0
        assert pc.read(counter + 8) > 1000


def test_rdtscp_tells_the_cpu() -> None:
    """IA32_TSC_AUX, 32 bits of it."""
    code = wrmsr(TSC_AUX,
        0x5_1234_5678) + "rdtscp; shl rdx, 32; or rax, rdx; mov rbx, rax; mov rax, rcx; " + KEEP + TSC + "sub rax, rbx; " + KEEP
    aux, passed = results(code)
    assert aux == 0x1234_5678
    assert 0 <= passed < 20
