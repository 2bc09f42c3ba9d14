/* SPDX-License-Identifier: GPL-2.0-only */
/* exit17: ends with status 17; swapexec's first program. */
int main(void)
{
	return 17;
}
