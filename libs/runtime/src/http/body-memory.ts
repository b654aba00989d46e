import type { ServerResponse } from 'node:http';
import { Refusal, type Callers } from '@codase/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { count, raise, RUNTIME_METRICS } from '../telemetry/index.ts';
import { addressKey } from './address-key.ts';
import { ByteBudget } from './byte-budget.ts';
import { isStreamed, STREAMED_BYTES } from './stream-body.ts';

/** The budgets for the bytes of bodies: one for known callers, and apart from it one for strangers, and one for the files of strangers. */
export interface BodyMemory {
  callers: ByteBudget;
  strangers: ByteBudget;
  strangersFiles: ByteBudget;
}

export const MEGABYTE = 1024 * 1024;
/** The part of the memory that strangers have: their bodies are small. */
const OF_STRANGERS = 1 / 8;
/** The part that files of strangers have, apart from it: a stranger who sends long files does not keep others from signing in. */
const OF_STRANGERS_FILES = 1 / 4;

export const bodyMemory = (bytes: number): BodyMemory => {
  const changed = (by: number) => raise(RUNTIME_METRICS.httpBodyBytes, by);
  return {
    callers: new ByteBudget(bytes, changed),
    strangers: new ByteBudget(bytes * OF_STRANGERS, changed),
    strangersFiles: new ByteBudget(bytes * OF_STRANGERS_FILES, changed),
  };
};

/** The body memory of this process. All its HTTP servers share it, whatever roles the process has. */
export const PROCESS_BODY_MEMORY = bodyMemory(256 * MEGABYTE);

export function resizeBodyMemory({ callers, strangers, strangersFiles }: BodyMemory, bytes: number): void {
  callers.resize(bytes);
  strangers.resize(bytes * OF_STRANGERS);
  strangersFiles.resize(bytes * OF_STRANGERS_FILES);
}

/** The bytes that one request holds until its answer has left or its connection is gone. */
class ReservedBytes {
  private bytes = 0;

  constructor(
    private readonly budget: ByteBudget,
    private readonly owner: string,
    private readonly response: ServerResponse,
    /** False for answers to strangers: they are the same for all, lie in memory once, and are not counted. */
    readonly countsAnswer: boolean,
  ) {}

  /** Takes bytes from the budget before they are read; refuses the request when there are not enough. @gap D1-7 */
  take(bytes: number): void {
    if (this.isOver) return;
    if (!this.budget.take(this.owner, bytes)) throw overloaded();
    this.hold(bytes);
  }

  add(bytes: number): void {
    if (this.isOver) return;
    this.budget.add(this.owner, bytes);
    this.hold(bytes);
  }

  /** Whether the answer has left or its connection is gone. Nothing is counted from then on, because nothing would release it. */
  private get isOver(): boolean {
    return this.response.destroyed;
  }

  private hold(bytes: number): void {
    if (this.bytes === 0 && bytes > 0) this.response.once('close', () => this.budget.release(this.owner, this.bytes));
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
    /** The bytes that the request holds; null until the caller is known. */
    reserved: ReservedBytes | null;
  }
}

function overloaded(): Refusal {
  count(RUNTIME_METRICS.httpOverloaded);
  return new Refusal('service.overloaded');
}

/**
 * Takes the memory for a body before any of it is read, and refuses a caller that holds too much already, in bodies or in answers that do
 * not leave. A body without a declared length is counted while it comes or, when it is streamed, by the most that is kept of it. A body
 * that is too long is refused as such, and takes nothing.
 */
export function reserveBody(budget: ByteBudget, owner: string, request: FastifyRequest, { raw: response, server }: FastifyReply): void {
  request.reserved = new ReservedBytes(budget, owner, response, budget === server.bodyMemory.callers);
  const length = Number(request.headers['content-length'] ?? 0);
  const isTooLong = length > request.routeOptions.bodyLimit;
  request.reserved.take(isTooLong ? 0 : isStreamed(request) ? keptOfStream(request) : length);
  if (request.headers.expect !== undefined && !isTooLong) response.writeContinue();
}

function keptOfStream({ headers, routeOptions }: FastifyRequest): number {
  const declared = headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : Infinity);
  return Math.min(Number(declared), routeOptions.config.streams === 'in memory' ? routeOptions.bodyLimit : STREAMED_BYTES);
}

/** Takes the memory for the body of an API call. The owner is the caller: a company, a person, or the address of a stranger. */
export function reserveBodyOf(
  { caller, address }: { caller: unknown; address: string },
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { callers, strangers, strangersFiles } = request.server.bodyMemory;
  const { isFile } = request.routeOptions.config;
  const tenant = tenantOf(caller as Callers[keyof Callers] | undefined);
  if (tenant === undefined) reserveBody(isFile ? strangersFiles : strangers, addressKey(address), request, reply);
  else reserveBody(callers, tenant, request, reply);
}

/** The owner of the memory. Users of one first-party client do not share it. */
const tenantOf = (caller: Callers[keyof Callers] | undefined): string | undefined =>
  caller ? ('person_user_id' in caller ? caller.person_user_id : caller.company_user_id) : undefined;

/** From how many bytes on an answer is counted too, while it leaves. */
const LONG_ANSWER = 64 * 1024;

export function countAnswer(
  { reserved }: FastifyRequest,
  _reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const length = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
  if (reserved?.countsAnswer && length > LONG_ANSWER) reserved.add(length);
  done(null, payload);
}
