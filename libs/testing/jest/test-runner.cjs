// Jest's own test runner, which also notes the CPU time of the worker: unlike the time on the wall it does not depend on what else the
// machine does.
const circus = require('jest-circus/runner');

/** Jest's own is 100, and each error that is made, and each that a library looks at, would cost ten times as much as in production. */
const FRAMES_OF_A_STACK = 20;

module.exports = async function runFile(...args) {
  Error.stackTraceLimit = FRAMES_OF_A_STACK;
  const before = process.cpuUsage();
  const result = await (circus.default ?? circus)(...args);
  const { user, system } = process.cpuUsage(before);
  return { ...result, cpuSeconds: (user + system) / 1_000_000 };
};
