export { Bus, wasUnheard, type BusOptions, type RequestContext } from './bus.ts';
export { serversIn, type BusTls } from './connect.ts';
export { inboxOf } from './inbox.ts';
export { BACKOFF_MS, DurableConsumer, POSTPONE_MS, type ConsumerOptions, type Delivery } from './durable-consumer.ts';
export { BATCH_MESSAGES, Publisher, type Outgoing } from './publisher.ts';
export { PARKED_HEADERS } from './parked.ts';
export { ensureParkedStream, ensureStream, type StreamOptions } from './streams.ts';
export { makeConsumers } from './wanted-consumers.ts';
export { ensureProjection, ProjectionReader, ProjectionWriter, type ProjectionShape } from './projection.ts';
