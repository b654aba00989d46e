type Undo = () => unknown;
const pending: Undo[] = [];
let isBound = false;

/**
 * Registers the hook that undoes everything after each test. Every spec file that uses `afterwards` calls this once at its top. The spec
 * files of a worker share modules, so a hook that this module registered on load would belong to the first file alone.
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

/** Registers a function to run after the test, whether it passes or not. The function that was registered last runs first. */
export function afterwards(undo: Undo): void {
  if (!isBound) throw new Error('Nothing would undo this: call undoAfterEach() at the top of the spec file.');
  pending.push(undo);
}
