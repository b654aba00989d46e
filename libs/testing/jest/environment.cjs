// The environment of a spec file: the worker's own realm, given back as it was found.
const { ModuleMocker } = require('jest-mock');

/** Where OpenTelemetry keeps what is registered in this realm, once it is loaded. */
const TELEMETRY = Symbol.for('opentelemetry.js.api.1');

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
    if (globalThis[TELEMETRY]) forgetTelemetry();
  }

  exportConditions() {
    return [];
  }

  /** Nothing runs in a context of its own. */
  getVmContext() {
    return null;
  }
};

/** A file that collects spans and measurements would have those of all later files collected too, which costs a tenth of their time. */
function forgetTelemetry() {
  const { context, metrics, propagation, trace } = require('@opentelemetry/api');
  for (const api of [trace, context, propagation, metrics]) api.disable();
}

/**
 * A worker has half a second to end, else Jest ends it and says that something stays open. That is as long as Node may need to take down a
 * large heap on a loaded machine, so once nothing is left to wait for it is not taken down.
 */
if (process.env.JEST_WORKER_ID && process.send) process.once('beforeExit', () => process.exit());
