// Jest's own test runner, which also records the CPU time of the worker, and of the programs that it started and that have ended. Unlike
// wall time, CPU time does not depend on other work of the machine.
const { readFileSync } = require('node:fs');
const circus = require('jest-circus/runner');

/**
 * The number of stack frames of an error. Jest sets 100, with which each error that is created, or whose stack a library reads, would cost
 * ten times as much as in production.
 */
const FRAMES_OF_A_STACK = 20;

module.exports = async function runFile(...args) {
  Error.stackTraceLimit = FRAMES_OF_A_STACK;
  const before = { worker: process.cpuUsage(), programs: programSeconds() };
  const result = await (circus.default ?? circus)(...args);
  const { user, system } = process.cpuUsage(before.worker);
  return { ...result, cpuSeconds: (user + system) / 1_000_000, programSeconds: programSeconds() - before.programs };
};

/** The CPU time of this process's children that have ended, and of theirs. Only Linux tells: 0 elsewhere. */
function programSeconds() {
  const CHILD_USER = 13; // after the name of the program, which may hold blanks: see proc_pid_stat(5)
  const TICKS = 100;
  if (process.platform !== 'linux') return 0;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[CHILD_USER]) + Number(fields[CHILD_USER + 1])) / TICKS;
}
