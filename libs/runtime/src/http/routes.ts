import type { INestApplicationContext } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { ACT_HEADER, largestBody, STATEMENT_CHARS, type Endpoint } from '@codase/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { onBehalfOf, type Initiator } from '../initiator/initiator.ts';
import { reserveBodyOf } from './body-memory.ts';
import { BODY_SINKS, type BodySinks } from './body-sink.ts';
import { ConstantAnswer } from './constant-answer.ts';
import { EventStream } from './event-stream.ts';
import { sendTracked, TrackedAnswer } from './tracked-answer.ts';
import { JSON_FORMAT, formatFor } from './formats.ts';
import { GATEKEEPER, openToAnyone, type Call, type Gatekeeper } from './gatekeeper.ts';
import { OpenStreams } from './open-streams.ts';
import { openRawRoute, type BoundRaw } from './raw-routes.ts';
import { readInput } from './read-input.ts';
import type { Refusals } from './refusals.ts';
import { inCallersTrace } from './request-span.ts';
import { routePath, ENDPOINTS, REFUSED_PAGE, type RefusedPage } from './serves.ts';
import { POINTS_ELSEWHERE } from './served-endpoints.ts';
import { RAW_ROUTE, type RawAnswer, type RawRoute } from './serves-raw.ts';
import { sendStreamed, StreamedAnswer } from './streamed-answer.ts';
import { USER_FILE_POLICY } from './page-policy.ts';
import { writeAnswer } from './write-answer.ts';

/** A method that serves a contract. */
interface Bound {
  contract: Endpoint;
  refusedPage: RefusedPage | undefined;
  pointsElsewhere: boolean;
  handle(input: unknown, caller: unknown, call: Call): unknown;
}

/**
 * How long a body may take to come when anyone may call: a short body, or a file. Callers with a token have the time of the whole request.
 */
const ANYONE_BODY_MS = 10_000;
const ANYONE_FILE_MS = 60_000;

/** What is known of a request that was admitted. */
interface Admitted {
  caller: unknown;
  call: Call;
  /** The initiator, as far as it is known by then. */
  initiator: Initiator;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the gatekeeper has admitted the request. */
    admitted: Admitted | null;
  }
}

/**
 * Opens a route for every method that is bound with @Serves or @ServesRaw. Nest only creates the controllers; the way of a request is our
 * own and short: admit, read, handle, write.
 */
export function openRoutes(app: INestApplicationContext, fastify: FastifyInstance, refusals: Refusals): void {
  const [gatekeeper, sinks] = [gatekeeperOf(app), sinksOf(app)];
  const streams = new OpenStreams(gatekeeper, fastify.mostStreams, refusals);
  fastify.addHook('preClose', () => streams.close());
  for (const bound of boundMethods(app)) {
    if ('route' in bound) {
      openRawRoute(fastify, bound, refusals);
      continue;
    }
    const { contract, refusedPage } = bound;
    fastify.route({
      method: contract.method,
      url: routePath(contract),
      bodyLimit: largestBody(contract),
      config: {
        isStream: contract.produces === 'events',
        answersFile: contract.produces === 'bytes',
        streams: contract.streams,
        tooLarge: contract.tooLarge,
        isFile: contract.consumes === 'file',
        ...(contract.callers.includes('anyone') && { bodyMs: contract.consumes === 'file' ? ANYONE_FILE_MS : ANYONE_BODY_MS }),
      },
      onRequest: (request, reply, proceed) => admit(bound, { gatekeeper, sinks }, { request, reply, proceed }),
      handler: (request, reply) => {
        const { initiator, caller } = request.admitted!;
        const work = () => serve(bound, { streams, refusals }, request, reply);
        void onBehalfOf(initiator, () => inScope(gatekeeper, contract, caller, work));
      },
      errorHandler: (error, request, reply) => void refusals.send(request, reply, error, refusedPage),
    });
  }
  // This serves every path and method that no route has, HEAD included: the gatekeeper decides whether the caller may know that. The
  // wildcard takes paths with a parameter that is too long, which Fastify would refuse by itself. The other handler takes the methods that
  // Fastify does not route. @gap D1-5.7
  const turnAway = (request: FastifyRequest) =>
    onBehalfOf({ address: request.ip }, () => gatekeeper.turnAway(pathOf(request.url), callOf(request)));
  fastify.all('*', { onRequest: turnAway }, turnAway);
  fastify.setNotFoundHandler(turnAway);
  fastify.setErrorHandler((error, request, reply) => void refusals.send(request, reply, error));
}

/** What decides whether a request is admitted, and where long strings of bodies go. */
interface Admitting {
  gatekeeper: Gatekeeper;
  sinks: BodySinks | undefined;
}

interface Arriving {
  request: FastifyRequest;
  reply: FastifyReply;
  proceed: (error?: Error) => void;
}

/**
 * Finds out who calls, and admits or refuses the request. It runs before any of the body is read: a call that a stranger may not make costs
 * no memory.
 */
function admit({ contract, pointsElsewhere }: Bound, { gatekeeper, sinks }: Admitting, { request, reply, proceed }: Arriving): void {
  const call = callOf(request);
  const initiator: Initiator = { user_id: undefined, client_id: undefined, address: call.address, ...(contract.act && statementIn(call)) };
  const identified = async () => {
    const caller = await (pointsElsewhere ? gatekeeper.pointElsewhere(contract, call) : gatekeeper.admit(contract, call));
    request.admitted = { caller, call, initiator };
    reserveBodyOf({ caller, address: call.address }, request, reply);
    if (contract.streams) request.openSink = (before) => sinks!.open(contract, caller, { before, params: request.params });
    return caller;
  };
  // What follows of the request, such as reading its body, is within the scope of its caller too.
  const goOn = (caller: unknown) => inScope(gatekeeper, contract, caller, proceed);
  onBehalfOf(initiator, identified).then((caller) => (caller ? inCallersTrace(request, () => goOn(caller)) : goOn(caller)), proceed);
}

const inScope = <T>(gatekeeper: Gatekeeper, contract: Endpoint, caller: unknown, work: () => T): T =>
  gatekeeper.inScope ? gatekeeper.inScope(contract, caller, work) : work();

/** What all routes use to answer. */
interface Answering {
  streams: OpenStreams;
  refusals: Refusals;
}

/** Reads the input of a request that was admitted, handles it, and writes the answer or the refusal. */
async function serve(
  { contract, handle, refusedPage }: Bound,
  { streams, refusals }: Answering,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { caller, call } = request.admitted!;
  call.streamed = request.streamed;
  try {
    const input = await inputOf(contract, request);
    if (contract.consumes !== 'form') request.body = undefined; // it may be long, and the input holds all of it
    const result = await handle(input, caller, call);
    if (result instanceof EventStream) await streams.answer(contract, result, call, request, reply);
    else write(contract, request, reply, result);
  } catch (error) {
    refusals.send(request, reply, error, refusedPage);
  }
}

/** Reads the input; what a body has stored so far goes when it is refused. */
async function inputOf(contract: Endpoint, request: FastifyRequest): Promise<Record<string, unknown>> {
  try {
    return readInput(contract, request);
  } catch (error) {
    await request.sink?.abandon();
    throw error;
  }
}

/** Writes the answer with the members that the contract names: a member that it does not know never reaches the wire. */
function write(contract: Endpoint, request: FastifyRequest, reply: FastifyReply, answer: unknown): void {
  const send = (payload: unknown) => void reply.status(contract.status).send(payload);
  if (answer instanceof ConstantAnswer) return send(answer.bytesIn(formatFor(request), (result) => contract.result.parse(result)));
  if (answer instanceof StreamedAnswer) return stream(contract, request, reply, answer);
  const sendResult = (result: unknown) =>
    void reply.send(writeAnswer(contract, reply.status(contract.status), contract.result.parse(result)));
  if (answer instanceof TrackedAnswer) sendTracked(reply, answer, () => sendResult(answer.result));
  else sendResult(answer);
}

/**
 * Streams the answer. A structured one is streamed only as JSON; for XML it is collected first, in memory of the caller. @gap D1-7
 */
function stream(contract: Endpoint, request: FastifyRequest, reply: FastifyReply, { streamed, gather }: StreamedAnswer<unknown>): void {
  if (streamed.content_type !== JSON_FORMAT.type || formatFor(request) === JSON_FORMAT) {
    reply.status(contract.status).header('content-security-policy', USER_FILE_POLICY);
    return void sendStreamed(reply, streamed).catch((error: Error) => void reply.send(error));
  }
  gather((bytes) => request.reserved?.take(bytes)).then(
    (result) => write(contract, request, reply, result),
    (error: Error) => void reply.send(error),
  );
}

/** The statement of the person's device over an act. One that is too long is cut, so that it is refused where it is checked. */
const statementIn = ({ headers }: Call): Pick<Initiator, 'statement'> => {
  const statement = headers[ACT_HEADER];
  return typeof statement === 'string' ? { statement: statement.slice(0, STATEMENT_CHARS) } : {};
};

const callOf = (request: FastifyRequest): Call => ({
  method: request.method,
  path: request.url.split('?', 1)[0]!,
  authorization: request.headers.authorization,
  address: request.ip,
  headers: request.headers,
  inCallersTrace: (work) => inCallersTrace(request, work),
});

const gatekeeperOf = (app: INestApplicationContext): Gatekeeper => optional<Gatekeeper>(app, GATEKEEPER) ?? openToAnyone;
const sinksOf = (app: INestApplicationContext): BodySinks | undefined => optional<BodySinks>(app, BODY_SINKS);

/**
 * Returns a provider that not every service has. It is looked for in the list of providers, because Nest logs an error when an absent one
 * is requested.
 */
const optional = <T>(app: INestApplicationContext, token: symbol): T | undefined =>
  app
    .get(DiscoveryService, { strict: false })
    .getProviders()
    .find((provider) => provider.token === token)?.instance as T | undefined;

function* boundMethods(app: INestApplicationContext): Generator<Bound | BoundRaw> {
  const scanner = app.get(MetadataScanner, { strict: false });
  for (const { instance, metatype } of app.get(DiscoveryService, { strict: false }).getControllers()) {
    const controller = instance as Record<string, (...args: unknown[]) => unknown>;
    for (const name of scanner.getAllMethodNames(Object.getPrototypeOf(controller) as object)) {
      const method = controller[name]!;
      const handle = (...args: unknown[]) => method.apply(controller, args);
      const route = Reflect.getMetadata(RAW_ROUTE, method) as RawRoute | undefined;
      if (route) yield { route, handle: handle as (request: unknown) => RawAnswer };
      const refusedPage = Reflect.getMetadata(REFUSED_PAGE, method) as RefusedPage | undefined;
      const pointsElsewhere = Reflect.hasMetadata(POINTS_ELSEWHERE, metatype!);
      const contracts = (Reflect.getMetadata(ENDPOINTS, method) as readonly Endpoint[] | undefined) ?? [];
      for (const contract of contracts) yield { contract, refusedPage, pointsElsewhere, handle };
    }
  }
}

/** The path as a route would see it: without host and query, decoded, without dot segments. */
function pathOf(url: string): string {
  try {
    return decodeURIComponent(new URL(url, 'http://here').pathname);
  } catch {
    return url;
  }
}
