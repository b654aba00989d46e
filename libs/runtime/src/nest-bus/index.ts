import 'reflect-metadata';

/** For handlers whose parameters have pipes: an app imports nothing else of Nest's microservices. */
export { Ctx, Payload } from '@nestjs/microservices';
export { Answers, type AnswersOptions } from './answers.ts';
export { BusContext, EventContext, type MessageOf, type ReplyOf } from './bus-context.ts';
export { BusExceptionFilter } from './bus-exception.filter.ts';
export { BusTransport, type FixedParameters } from './bus-transport.ts';
export { checkHandlers } from './check-handlers.ts';
export { Consumes, type ConsumesOptions } from './consumes.ts';
export { makesConsumersOf } from './stream-consumers.ts';
