const SUFFIXES: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' };

/** The name of a metric with its unit at the end, as Prometheus wants it. */
export function nameWithUnit(name: string, unit: string): string {
  const suffix = SUFFIXES[unit];
  return suffix === undefined || name.endsWith(suffix) ? name : `${name}_${suffix}`;
}
