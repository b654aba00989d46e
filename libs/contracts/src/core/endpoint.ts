import type { z } from 'zod';
import type { ErrorKey, PlainKey } from './errors.ts';
import { ANYONE_BODY_BYTES, BODY_BYTES, type RateLimit } from './limits.ts';
import { Nothing } from './page.ts';
import type { Tag } from './tags.ts';

/** The refusals that every call with a token can get, wherever it is served. @spec D1-5 */
export const OF_TOKEN = [
  'auth.token_invalid',
  'auth.client_endpoint_forbidden',
  'region.rebase_required',
  'rate_limit.exceeded',
] as const satisfies readonly ErrorKey[];

/** The refusals that every call with a token can get in a region, reads included. @spec D1-5 @spec D1-7 */
export const AUTHENTICATED = [...OF_TOKEN, 'platform.out_of_order'] as const satisfies readonly ErrorKey[];

/** The refusals that every call that saves something can get in a region. @spec D1-7 */
export const WRITES = [...AUTHENTICATED, 'db.writes_paused'] as const satisfies readonly ErrorKey[];

/** Who may call. The kind decides the token check and a handler's second argument. `session_id` and `jkt`: the sign-in and its key. */
export interface Callers {
  anyone: null;
  /** A service data client: bound to one service. @spec D1-2.1 */
  service: { kind: 'service'; client_id: string; service_id: string; company_user_id: string };
  /** An account automation client: acts as the company, within its capability groups. @spec D1-2.1 */
  account: { kind: 'account'; client_id: string; company_user_id: string };
  /** A company user signed in at the portal. @gap D1-5 */
  portal: { kind: 'portal'; client_id: string; company_user_id: string; session_id?: string | undefined };
  /** A person signed in on a phone. @gap D1-5 */
  person: { kind: 'person'; client_id: string; person_user_id: string; session_id?: string | undefined; jkt?: string | undefined };
}
export type CallerKind = keyof Callers;

/** The bases an endpoint is served at. At the wrong one, the front door and regions answer 421 with the right one. @spec D1-5.6 */
export type Base = 'front-door' | 'region' | 'forwarder';

/** One route of the API, declared once: servers, clients, the gateway, OpenAPI and the test matrix all read it. */
export interface Endpoint {
  /** The name of the operation: its OpenAPI id, and its name on the bus. */
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Marks a GET that deletes what it answers: a blind repeat can lose data. */
  takes?: true;
  /** Marks a write that changes nothing when it is repeated, and answers the same, for example because it carries a key. */
  idempotent?: true;
  /** The path as in the specification, with path parameters in braces. */
  path: `/${string}`;
  at: readonly Base[];
  spec: `D${1 | 2}-${string}`;
  /** The chapter of the OpenAPI document that lists the endpoint. */
  tag?: Tag;
  /** One line, without a full stop. */
  summary: string;
  /** What it does, what a caller must know, and what to do when it fails, in Markdown. The document adds costs and refusals. */
  description: string;
  callers: readonly CallerKind[];
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** The headers that the endpoint reads, by their names in lowercase. Others are ignored. */
  headers?: z.ZodObject;
  body?: z.ZodType;
  /** How the body travels: `structured` is JSON or XML by negotiation, `file` is its bytes or the one file of a browser's form. */
  consumes?: 'structured' | 'form' | 'file';
  /**
   * Marks an act of a person, over which a device signs a statement (`Codase-Act`). It is carried to where the act is stored. The value is
   * the path parameter, or the member of the body, that names what is acted on.
   */
  act?: string;
  /** Members of the body that a statement has by their digests: see `PersonAct`. */
  digested?: readonly string[];
  /** Largest request body in bytes; BODY_BYTES by default, ANYONE_BODY_BYTES where anyone may call. */
  largest?: number;
  /** The refusal of a body that is larger; request.too_large by default. */
  tooLarge?: PlainKey;
  /**
   * Set when a long string of the JSON body is written to its storage while it arrives. The body is then checked with the middle of that
   * string taken out, a multiple of four base64 characters. An XML body is collected in memory. `in memory`: the string stays in memory
   * after all, decoded, and counts like a body in memory.
   */
  streams?: 'to rest' | 'in memory';
  status: number;
  result: z.ZodType;
  /** The shape that a client accepts from a platform that may be newer than the client; typed like `result`, which is the default. */
  received?: z.ZodType;
  /**
   * How the answer travels; structured by default. `bytes`: where the result is a RawFile, its bytes go out as they are, with their own
   * content type; every answer carries the digest of its bytes. `redirect`: the result's `location` becomes the header, and so
   * does a `set_cookie`. `page`: HTML for
   * a browser. `events`: a stream of server-sent events, each of them shaped like the result (id, event, data), which stays open.
   */
  produces?: 'structured' | 'bytes' | 'redirect' | 'page' | 'events';
  /** Whether the bytes are pages and scripts of the platform. All others came from users, and a browser must run nothing in them. */
  isOwnPage?: true;
  refusals: readonly ErrorKey[];
  /** The bucket that a call is charged to. When absent, `data` for callers with a token, none for anyone. */
  limit?: RateLimit;
}

type Shapes = 'params' | 'query' | 'headers' | 'body' | 'result' | 'received';
/** What is declared beside name and route. The full types of its shapes are compared where it is used: here that would cost seconds. */
interface Declared
  extends Omit<Endpoint, Shapes | 'name' | 'method' | 'path' | 'status' | 'refusals'>, Partial<Record<Shapes, z.core.$ZodType>> {
  /** The status of the answer: when it is left out 200, or 204 where there is no result. */
  status?: number;
  /** The refusals of its own, beside those that every call of its kind can get. */
  refusals?: readonly ErrorKey[];
}
/** An alias, not an interface: declarations of packages write it out, and need not name it. */
type Route<N, M, P> = { name: N; method: M; path: P; status: number; refusals: readonly ErrorKey[] };
type Answer<E> = E extends { result: unknown } ? unknown : { result: typeof Nothing };
type Declaration<N, M, P, E> = Omit<E, keyof Route<N, M, P>> & Route<N, M, P> & Answer<E>;

/** Declares an endpoint by its name, and by its method and path as the specification writes them: `GET /api/account`. */
export function endpoint<
  const N extends string,
  const M extends Endpoint['method'],
  const P extends Endpoint['path'],
  const E extends Declared,
>(name: N, route: `${M} ${P}`, declared: E): Declaration<N, M, P, E> {
  const [method, path] = route.split(' ') as [M, P];
  const answer = declared.result ? { status: 200 } : { status: 204, result: Nothing };
  const refusals = new Set([...sharedRefusals({ ...declared, method }), ...(declared.refusals ?? [])]);
  return { ...answer, ...declared, name, method, path, refusals: [...refusals] } as unknown as Declaration<N, M, P, E>;
}

/** Declares an act of a company as that of a person: its clients act for it as its users do, so no device signs it. */
export function withoutDevice<E extends { act: string; refusals: readonly ErrorKey[] }>(endpoint: E) {
  const { act: _, refusals, ...declared } = endpoint;
  return { ...declared, refusals: refusals.filter((key) => key !== 'account.device_required') };
}

/** Returns the refusals that an endpoint can answer because of who calls it, where, and whether it saves something. */
function sharedRefusals({ act, ...endpoint }: Pick<Endpoint, 'callers' | 'at' | 'method' | 'act'>): readonly ErrorKey[] {
  return act === undefined ? refusalsOfBase(endpoint) : [...refusalsOfBase(endpoint), 'account.device_required'];
}

function refusalsOfBase({ callers, at, method }: Pick<Endpoint, 'callers' | 'at' | 'method'>): readonly ErrorKey[] {
  if (callers.includes('anyone')) return [];
  if (!at.includes('region')) return OF_TOKEN; // rows of the front door, which do not wait for the state of a region
  return method === 'GET' ? AUTHENTICATED : WRITES;
}

/** The largest request body that an endpoint reads, in bytes. */
export const largestBody = ({ largest, callers }: Pick<Endpoint, 'largest' | 'callers'>): number =>
  largest ?? (callers.includes('anyone') ? ANYONE_BODY_BYTES : BODY_BYTES);

type Part<E, K extends keyof Endpoint> = E extends Record<K, infer S extends z.ZodType> ? { [_ in K]: z.output<S> } : unknown;
type PartIn<E, K extends keyof Endpoint> = E extends Record<K, infer S extends z.ZodType> ? { [_ in K]: z.input<S> } : unknown;

/** What a handler receives: validated params, query, headers and body. */
export type Input<E extends Endpoint> = Part<E, 'params'> & Part<E, 'query'> & Part<E, 'headers'> & Part<E, 'body'>;
/** What a client sends. */
export type Request<E extends Endpoint> = PartIn<E, 'params'> & PartIn<E, 'query'> & PartIn<E, 'headers'> & PartIn<E, 'body'>;
export type Output<E extends Endpoint> = z.output<E['result']>;
export type Caller<E extends Endpoint> = Callers[E['callers'][number]];
