/* SPDX-License-Identifier: GPL-2.0-only */
/* exit42: ends with status 42; swapexec's second program. */
int main(void)
{
	return 42;
}
