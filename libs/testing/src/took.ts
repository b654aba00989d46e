/** How long it took, in milliseconds. A story compares it with how long something alike takes on this machine now. */
export async function took(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
