// Jest's expect makes all of its matchers anew for each value that it is asked about, and an error with its stack beside them. Specs that
// try thousands of values spent a fifth of their time on that. Here a matcher is made when it is asked for, and the two that specs use most
// answer by themselves where they hold. What does not hold is said by Jest's own, with all that it shows. Jest takes a file in a folder of
// this name for one of its own: where something fails it shows the line of the spec.
const { createRequire } = require('node:module');

const { equals, iterableEquality } = createRequire(require.resolve('@jest/expect'))('@jest/expect-utils'); // the copy that Jest has

/** As Jest's own matchers decide, without testers for equality of one's own, which nobody here adds. */
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
