export { FaultProxy } from './fault-proxy.ts';
export { TestBus } from './test-bus.ts';
export { testDatabase, type TestDatabase } from './test-database.ts';
export { edgesOf, TraceReceiver, type SeenSpan } from './trace-receiver.ts';
export { WebhookReceiver } from './webhook-receiver.ts';
export { Backend, Person, Stranger } from './world/actors.ts';
export { World, type Duration, type WorldOptions } from './world/world.ts';
