// The environment of a spec file: the worker's own realm, whose globals are restored after the file.
const { ModuleMocker } = require('jest-mock');

/** The global in which OpenTelemetry keeps its registered providers, once it is loaded. */
const TELEMETRY = Symbol.for('opentelemetry.js.api.1');

const mocker = new ModuleMocker(globalThis);
globalThis[Symbol.for('codase.jest')] = { fn: mocker.fn.bind(mocker), spyOn: mocker.spyOn.bind(mocker) };

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
    if (globalThis[TELEMETRY]) forgetTelemetry();
  }

  exportConditions() {
    return [];
  }

  /** Returns no context, because spec files run in the worker's own realm. */
  getVmContext() {
    return null;
  }
};

/**
 * Ends the collection of spans and measurements that a spec file began. Otherwise those of all later files would be collected too, which
 * costs a tenth of their time.
 */
function forgetTelemetry() {
  const { context, metrics, propagation, trace } = require('@opentelemetry/api');
  for (const api of [trace, context, propagation, metrics]) api.disable();
}

/**
 * Jest gives a worker half a second to exit. After that Jest kills the worker and reports that something stays open. On a loaded machine
 * Node may need as long to free a large heap, so the worker exits without freeing the heap once nothing is left to wait for.
 */
if (process.env.JEST_WORKER_ID && process.send) process.once('beforeExit', () => process.exit());
