export { addressKey } from './address-key.ts';
export { ApiClient, UnexpectedAnswer, type ApiClientOptions, type Exchange, type SentRequest } from './client.ts';
export { PROCESS_BODY_MEMORY, type BodyMemory } from './body-memory.ts';
export { BODY_SINKS, type ArrivingBody, type BodySink, type BodySinks, type StreamedString } from './body-sink.ts';
export { ConstantAnswer } from './constant-answer.ts';
export { discardBody } from './discard-body.ts';
export {
  answerBrokenRequest,
  boundedServer,
  httpServerOptions,
  createHttpServer,
  type HttpServerOptions,
  type HttpServerTimeouts,
} from './http-server.ts';
export { servedElsewhere, notBuilt } from './empty-controllers.ts';
export { EventSink, EventStream, type ServerSentEvent } from './event-stream.ts';
export { ForwardedAddresses } from './forwarded-addresses.ts';
export { TrackedAnswer } from './tracked-answer.ts';
export { GATEKEEPER, openToAnyone, type Call, type Gatekeeper } from './gatekeeper.ts';
export { formatOf, JSON_FORMAT, negotiate, prefersHtml, XML_FORMAT, type Format } from './formats.ts';
export { DnsResolver, type DnsResolverOptions } from './dns-resolver.ts';
export { openapi } from './openapi.ts';
export { answering, forThisMachine } from './own-machine.ts';
export { isLoopback, isPublicAddress } from './public-address.ts';
export { AnswerTooLong, Outbound, TargetRefused, type Answered, type OutboundOptions, type Sent } from './outbound.ts';
export { ServesRaw, type RawAnswer, type RawRequest, type RawRoute } from './serves-raw.ts';
export { Refusals } from './refusals.ts';
export { openRoutes } from './routes.ts';
export { servedEndpoints } from './served-endpoints.ts';
export { RefusesWith, Serves, type RefusedPage } from './serves.ts';
export { StreamedAnswer, type Streamed } from './streamed-answer.ts';
export { readXml, writeXml } from './xml.ts';
