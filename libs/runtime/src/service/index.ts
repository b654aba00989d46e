import 'reflect-metadata';

export { readiness, type Check, type Note, type Readiness } from './health.ts';
export { main } from './main.ts';
export { runOnce } from './run-once.ts';
export { withOperatorBus } from './operator-bus.ts';
export { PublishHealth } from './publish-health.ts';
export { flushTelemetry, startService, type RunningService, type ServiceParts } from './start-service.ts';
export { DRAIN, SHUTDOWN, type ServiceContext } from './service-context.ts';
