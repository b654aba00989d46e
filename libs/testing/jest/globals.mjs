// What a spec gets as '@jest/globals': all specs of a worker share one mocker (see environment.cjs), which forgets its mocks after each.
export const jest = globalThis[Symbol.for('cds.jest')];
