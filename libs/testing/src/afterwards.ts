type Undo = () => unknown;
const pending: Undo[] = [];
let isBound = false;

/**
 * Called once at the top of a spec file that uses `afterwards`. Modules are shared by the spec files of a worker, so a hook that this
 * module set when it is loaded would belong to the first file alone.
 */
export function undoAfterEach(): void {
  isBound = true;
  afterEach(async () => {
    for (let undo = pending.pop(); undo; undo = pending.pop()) await undo();
  });
  afterAll(() => {
    isBound = false;
  });
}

/** Is done after the test, the latest first, whether the test passes or not. */
export function afterwards(undo: Undo): void {
  if (!isBound) throw new Error('Nothing would undo this: call undoAfterEach() at the top of the spec file.');
  pending.push(undo);
}
