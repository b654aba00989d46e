// The module that specs import as '@jest/globals'. All specs of a worker share one mocker (see environment.cjs), whose mocks are restored
// after each spec file.
export const jest = globalThis[Symbol.for('codase.jest')];
