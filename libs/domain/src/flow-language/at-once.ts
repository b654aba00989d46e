/** Takes all steps at once and returns the result, for callers that have no other work to do in between. */
export function atOnce<T>(steps: Iterator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
