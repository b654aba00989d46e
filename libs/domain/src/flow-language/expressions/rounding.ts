/**
 * Rounds to two decimals, halves away from zero, on the number's shortest decimal text: what a person sees is what is rounded, so
 * 1.005 gives 1.01 although its double lies below. @spec D2-7 @gap D2-2.5
 */
export function roundToCents(value: number): number {
  const [, sign = '', whole = '', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(plainDecimal(value)) ?? [];
  const cents = BigInt(whole + decimals.slice(0, 2).padEnd(2, '0')) + (decimals.charAt(2) >= '5' ? 1n : 0n);
  const digits = cents.toString().padStart(3, '0');
  return Number(`${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`) + 0;
}

/** The shortest text without an exponent. */
function plainDecimal(value: number): string {
  const [digits = '', exponent] = String(value).split('e');
  if (exponent === undefined) return digits;
  if (Number(exponent) > 0) return BigInt(value).toString();
  const sign = value < 0 ? '-' : '';
  return `${sign}0.${'0'.repeat(-Number(exponent) - 1)}${digits.replace(/[-.]/g, '')}`;
}
