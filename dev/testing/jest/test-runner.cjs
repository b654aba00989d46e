// Jest's own test runner, which also records the CPU time of the worker. Unlike wall time, CPU time does not depend on other work of the
// machine.
const circus = require('jest-circus/runner');

/**
 * The number of stack frames of an error. Jest sets 100, with which each error that is created, or whose stack a library reads, would cost
 * ten times as much as in production.
 */
const FRAMES_OF_A_STACK = 20;

module.exports = async function runFile(...args) {
  Error.stackTraceLimit = FRAMES_OF_A_STACK;
  const before = process.cpuUsage();
  const result = await (circus.default ?? circus)(...args);
  const { user, system } = process.cpuUsage(before);
  return { ...result, cpuSeconds: (user + system) / 1_000_000 };
};
