// The environment of a spec file: the worker's own realm, given back as it was found.
const { ModuleMocker } = require('jest-mock');

const mocker = new ModuleMocker(globalThis);
globalThis[Symbol.for('cds.jest')] = { fn: mocker.fn.bind(mocker), spyOn: mocker.spyOn.bind(mocker) };

module.exports = class SharedEnvironment {
  global = globalThis;
  moduleMocker = mocker;
  fakeTimers = null;
  fakeTimersModern = null;
  found = { console, exit: process.exit, env: { ...process.env }, stackTraceLimit: Error.stackTraceLimit };

  async setup() {}

  async teardown() {
    globalThis.console = this.found.console;
    process.exit = this.found.exit;
    Error.stackTraceLimit = this.found.stackTraceLimit;
    for (const name of Object.keys(process.env)) if (!(name in this.found.env)) delete process.env[name];
    Object.assign(process.env, this.found.env);
  }

  exportConditions() {
    return [];
  }

  /** Nothing runs in a context of its own. */
  getVmContext() {
    return null;
  }
};
