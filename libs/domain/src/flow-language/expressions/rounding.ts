/**
 * Rounds to two decimals, with halves away from zero. It rounds the shortest decimal text of the number, which is what a person sees: 1.005
 * gives 1.01, although its double is less than 1.005. @spec D2-7 @gap D2-2.5
 */
export function roundToCents(value: number): number {
  const [, whole, decimals] = /^(\d+)\.(\d+)$/.exec(String(Math.abs(value))) ?? [];
  if (whole === undefined || decimals === undefined) return Math.abs(value) < 1 ? 0 : value; // no decimals, or none within two places
  const cents = BigInt(whole + decimals.slice(0, 2).padEnd(2, '0')) + (decimals.charAt(2) >= '5' ? 1n : 0n);
  return Math.sign(value) * Number(`${cents}e-2`) + 0;
}
