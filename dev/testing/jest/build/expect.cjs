// Jest's expect creates all of its matchers for each value that it checks, and an error with its stack. Specs that check thousands of
// values spent a fifth of their time on that. Here a matcher is created only when a spec uses it, and the two most used matchers pass
// without calling Jest. When they do not pass, Jest's own matcher reports the failure with all its details. Jest treats a file in a folder
// named `build` as one of its own, so that a failure shows the line of the spec.
const { createRequire } = require('node:module');

const { equals, iterableEquality } = createRequire(require.resolve('@jest/expect'))('@jest/expect-utils'); // the copy that Jest uses

/** The checks of Jest's own matchers, without custom equality testers, which no spec here adds. */
const HOLDS = {
  toBe: Object.is,
  toEqual: (actual, expected) => equals(actual, expected, [iterableEquality]),
};

let made;

exports.quickExpect = (expect) => (made ??= make(expect));

function make(expect) {
  class Expectation {
    constructor(actual) {
      this.actual = actual;
    }
  }
  for (const name of Object.keys(expect())) {
    const get = function () {
      return expect(this.actual)[name];
    };
    Object.defineProperty(Expectation.prototype, name, { get, configurable: true });
  }
  for (const [name, holds] of Object.entries(HOLDS)) {
    const value = function (...args) {
      if (args.length !== 1 || !holds(this.actual, args[0])) return expect(this.actual)[name](...args);
      const state = expect.getState();
      state.assertionCalls += 1;
      state.numPassingAsserts += 1;
    };
    Object.defineProperty(Expectation.prototype, name, { value });
  }
  const { addEqualityTesters: _, extend: __, ...others } = expect; // these two would have no effect here
  return Object.assign((...args) => (args.length === 1 ? new Expectation(args[0]) : expect(...args)), others);
}
