/** Returns the value below which this share of the values lies, interpolated between two values. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('There is no quantile of no values.');
  const sorted = values.toSorted((a, b) => a - b);
  const rank = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(rank)]!, sorted[Math.ceil(rank)]!];
  return below + (above - below) * (rank - Math.floor(rank));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
