type Undo = () => unknown;
const pending: Undo[] = [];

afterEach(async () => {
  for (let undo = pending.pop(); undo; undo = pending.pop()) await undo();
});

/** Is done after the test, the latest first, whether the test passes or not. */
export function afterwards(undo: Undo): void {
  pending.push(undo);
}
