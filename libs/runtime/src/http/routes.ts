import type { INestApplicationContext } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { Endpoint } from '@cds/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { onBehalfOf } from '../initiator/initiator.ts';
import { follow, Followed } from './followed.ts';
import { GATEKEEPER, openToAnyone, type Call, type Gatekeeper } from './gatekeeper.ts';
import { openRawRoute, type BoundRaw } from './raw-routes.ts';
import { readInput } from './read-input.ts';
import type { Refusals } from './refusals.ts';
import { routePath } from './route-path.ts';
import { POINTS_ELSEWHERE } from './served.ts';
import { RAW_ROUTE, type RawAnswer, type RawRoute } from './serves-raw.ts';
import { ENDPOINT, REFUSED_PAGE, type RefusedPage } from './serves.ts';
import { writeAnswer } from './write-answer.ts';

/** A method that serves a contract. */
interface Bound {
  contract: Endpoint;
  refusedPage: RefusedPage | undefined;
  pointsElsewhere: boolean;
  handle(input: unknown, caller: unknown, call: Call): unknown;
}

/**
 * Opens a route for every method that is bound with @Serves or @ServesRaw. Nest puts the controllers together; the way of a request is ours
 * and short: admit, read, handle, write.
 */
export function openRoutes(app: INestApplicationContext, fastify: FastifyInstance, refusals: Refusals): void {
  const gatekeeper = gatekeeperOf(app);
  for (const bound of boundMethods(app)) {
    if ('route' in bound) {
      openRawRoute(fastify, bound, refusals);
      continue;
    }
    const { contract, refusedPage } = bound;
    fastify.route({
      method: contract.method,
      url: routePath(contract),
      ...(contract.largest !== undefined && { bodyLimit: contract.largest }),
      handler: (request, reply) => onBehalfOf({ address: request.ip }, () => serve(bound, gatekeeper, request, reply)),
      errorHandler: (error, request, reply) => void refusals.send(request, reply, error, refusedPage),
    });
  }
  // Every path and method that no route has, HEAD included: the gatekeeper says whether the caller may know that. The wildcard takes the
  // paths with a parameter that is too long, which Fastify would refuse by itself, and the other handler the methods it does not route.
  // @gap D1-5.7
  const turnAway = (request: FastifyRequest) =>
    onBehalfOf({ address: request.ip }, () => gatekeeper.turnAway(pathOf(request.url), callOf(request)));
  fastify.all('*', turnAway);
  fastify.setNotFoundHandler(turnAway);
  fastify.setErrorHandler((error, request, reply) => void refusals.send(request, reply, error));
}

/**
 * What a stranger may not call is not even parsed. What leaves is what the contract names: a member it does not know never reaches the
 * wire.
 */
async function serve(
  { contract, pointsElsewhere, handle }: Bound,
  gatekeeper: Gatekeeper,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const call = callOf(request);
  if (pointsElsewhere) await gatekeeper.pointElsewhere(contract, call);
  const caller = await gatekeeper.admit(contract, call);
  const answer = await handle(readInput(contract, request), caller, call);
  const write = (result: unknown) => reply.status(contract.status).send(writeAnswer(contract, reply, contract.result.parse(result)));
  return answer instanceof Followed ? (follow(reply, answer, () => write(answer.result)) as FastifyReply) : write(answer);
}

const callOf = ({ headers, ip }: FastifyRequest): Call => ({ authorization: headers.authorization, address: ip, headers });

function gatekeeperOf(app: INestApplicationContext): Gatekeeper {
  try {
    return app.get<Gatekeeper>(GATEKEEPER, { strict: false });
  } catch {
    return openToAnyone;
  }
}

function* boundMethods(app: INestApplicationContext): Generator<Bound | BoundRaw> {
  const scanner = app.get(MetadataScanner, { strict: false });
  for (const { instance, metatype } of app.get(DiscoveryService, { strict: false }).getControllers()) {
    const controller = instance as Record<string, (...args: unknown[]) => unknown>;
    for (const name of scanner.getAllMethodNames(Object.getPrototypeOf(controller) as object)) {
      const method = controller[name]!;
      const handle = (...args: unknown[]) => method.apply(controller, args);
      const route = Reflect.getMetadata(RAW_ROUTE, method) as RawRoute | undefined;
      if (route) yield { route, handle: handle as (request: unknown) => RawAnswer };
      const contract = Reflect.getMetadata(ENDPOINT, method) as Endpoint | undefined;
      if (!contract) continue;
      const refusedPage = Reflect.getMetadata(REFUSED_PAGE, method) as RefusedPage | undefined;
      yield { contract, refusedPage, pointsElsewhere: Reflect.hasMetadata(POINTS_ELSEWHERE, metatype!), handle };
    }
  }
}

/** The path as a route would see it: no host, no query, nothing encoded, no dot segments. */
function pathOf(url: string): string {
  try {
    return decodeURIComponent(new URL(url, 'http://here').pathname);
  } catch {
    return url;
  }
}
