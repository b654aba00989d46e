/** Whether a text is a version of three numbers, as in 0.3.0. */
export const isVersion = (text: string): boolean => /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(text);

/** Orders versions: the older one comes first. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number)) as [number[], number[]];
  const i = a.findIndex((number, position) => number !== b[position]);
  return i === -1 ? 0 : a[i]! - b[i]!;
}

/** Returns the newest of some versions; undefined when there is none. */
export const newestOf = (versions: readonly string[]): string | undefined => versions.toSorted(compareVersions).at(-1);
