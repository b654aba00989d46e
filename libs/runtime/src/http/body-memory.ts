import type { ServerResponse } from 'node:http';
import { Refusal, type Callers } from '@cds/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { count, raise, RUNTIME_METRICS } from '../telemetry/index.ts';
import { addressKey } from './address-key.ts';
import { ByteBudget } from './byte-budget.ts';
import { isStreamed, STREAMED_BYTES } from './stream-body.ts';

/** Where the bytes of bodies are counted: those of callers that are known, and apart from them those of everybody else, and their files. */
export interface BodyMemory {
  callers: ByteBudget;
  strangers: ByteBudget;
  strangersFiles: ByteBudget;
}

export const MEGABYTE = 1024 * 1024;
/** Of the whole, what strangers have: their bodies are small. */
const OF_STRANGERS = 1 / 8;
/** And what their files have, apart from it: whoever sends long ones keeps nobody from signing in. */
const OF_STRANGERS_FILES = 1 / 4;

export const bodyMemory = (bytes: number): BodyMemory => {
  const changed = (by: number) => raise(RUNTIME_METRICS.httpBodyBytes, by);
  return {
    callers: new ByteBudget(bytes, changed),
    strangers: new ByteBudget(bytes * OF_STRANGERS, changed),
    strangersFiles: new ByteBudget(bytes * OF_STRANGERS_FILES, changed),
  };
};

/** Of this process. All its HTTP servers share it, whatever roles it plays. */
export const PROCESS_BODY_MEMORY = bodyMemory(256 * MEGABYTE);

export function resizeBodyMemory({ callers, strangers, strangersFiles }: BodyMemory, bytes: number): void {
  callers.resize(bytes);
  strangers.resize(bytes * OF_STRANGERS);
  strangersFiles.resize(bytes * OF_STRANGERS_FILES);
}

/** What one request holds, until its answer has left or its connection is gone. */
export class HeldBytes {
  private bytes = 0;

  constructor(
    private readonly budget: ByteBudget,
    private readonly owner: string,
    private readonly response: ServerResponse,
    /** What anyone may ask for is the same for all: it lies in memory once, and is not counted. */
    readonly countsAnswer: boolean,
  ) {}

  /** Refused where there is no room, before the bytes are read. @gap D1-7 */
  take(bytes: number): void {
    if (!this.budget.take(this.owner, bytes)) throw overloaded();
    this.hold(bytes);
  }

  add(bytes: number): void {
    this.budget.add(this.owner, bytes);
    this.hold(bytes);
  }

  private hold(bytes: number): void {
    if (this.bytes === 0 && bytes > 0) this.response.on('close', () => this.budget.release(this.owner, this.bytes));
    this.bytes += bytes;
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body of the route is a file. */
    isFile?: boolean;
  }
  interface FastifyInstance {
    bodyMemory: BodyMemory;
  }
  interface FastifyRequest {
    /** Null until it is known whose bytes they are. */
    held: HeldBytes | null;
  }
}

function overloaded(): Refusal {
  count(RUNTIME_METRICS.httpOverloaded);
  return new Refusal('service.overloaded');
}

/**
 * Takes the memory for a body before any of it is read, and refuses whoever holds too much already, in bodies or in answers that do not
 * leave. A body that does not say its length is counted while it comes, or by the most that is kept of it where it is streamed. One that is
 * too long is refused as such, and takes nothing.
 */
export function holdBody(budget: ByteBudget, owner: string, request: FastifyRequest, { raw: response, server }: FastifyReply): void {
  request.held = new HeldBytes(budget, owner, response, budget === server.bodyMemory.callers);
  const length = Number(request.headers['content-length'] ?? 0);
  const isTooLong = length > request.routeOptions.bodyLimit;
  request.held.take(isTooLong ? 0 : isStreamed(request) ? keptOfStream(request) : length);
  if (request.headers.expect !== undefined && !isTooLong) response.writeContinue();
}

function keptOfStream({ headers, routeOptions }: FastifyRequest): number {
  const declared = headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : Infinity);
  return Math.min(Number(declared), routeOptions.config.streams === 'in memory' ? routeOptions.bodyLimit : STREAMED_BYTES);
}

/** The same for a call of the API, by who calls: a company, a person, or an address of strangers. */
export function holdBodyOf({ caller, address }: { caller: unknown; address: string }, request: FastifyRequest, reply: FastifyReply): void {
  const { callers, strangers, strangersFiles } = request.server.bodyMemory;
  const { isFile } = request.routeOptions.config;
  const tenant = tenantOf(caller as Callers[keyof Callers] | undefined);
  if (tenant === undefined) holdBody(isFile ? strangersFiles : strangers, addressKey(address), request, reply);
  else holdBody(callers, tenant, request, reply);
}

/** Users of one first-party client do not share. */
const tenantOf = (caller: Callers[keyof Callers] | undefined): string | undefined =>
  caller ? ('person_user_id' in caller ? caller.person_user_id : caller.company_user_id) : undefined;

/** Answers that are long enough to matter are counted too, while they leave. */
const LONG_ANSWER = 64 * 1024;

export function countAnswer(
  { held }: FastifyRequest,
  _reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const length = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
  if (held?.countsAnswer && length > LONG_ANSWER) held.add(length);
  done(null, payload);
}
