/** Returns how long some work took, in milliseconds. Tests compare it with the time of similar work on the same machine. */
export async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
