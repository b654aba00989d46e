/**
 * Rounds to two decimals, halves away from zero, on the number's shortest decimal text: what a person sees is what is rounded, so
 * 1.005 gives 1.01 although its double lies below. @spec D2-7 @gap D2-2.5
 */
export function roundToCents(value: number): number {
  const [, whole, decimals] = /^(\d+)\.(\d+)$/.exec(String(Math.abs(value))) ?? [];
  if (whole === undefined || decimals === undefined) return Math.abs(value) < 1 ? 0 : value; // no decimals, or none within two places
  const cents = BigInt(whole + decimals.slice(0, 2).padEnd(2, '0')) + (decimals.charAt(2) >= '5' ? 1n : 0n);
  return Math.sign(value) * Number(`${cents}e-2`) + 0;
}
