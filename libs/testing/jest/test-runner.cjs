// Jest's own test runner, which also notes the CPU time of the worker: unlike the time on the wall it does not depend on what else the
// machine does.
const circus = require('jest-circus/runner');

module.exports = async function runFile(...args) {
  const before = process.cpuUsage();
  const result = await (circus.default ?? circus)(...args);
  const { user, system } = process.cpuUsage(before);
  return { ...result, cpuSeconds: (user + system) / 1_000_000 };
};
