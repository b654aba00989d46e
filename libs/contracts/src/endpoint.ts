import type { z } from 'zod';
import type { ErrorKey } from './errors.ts';

/** Who may call. The kind decides the token check and the type of a handler's second argument. */
export interface Callers {
  anyone: null;
  /** A service data client: bound to one service. @spec D1-2.1 */
  service: { kind: 'service'; client_id: string; service_id: string; company_user_id: string };
  /** An account automation client: acts as the company. @spec D1-2.1 */
  account: { kind: 'account'; client_id: string; company_user_id: string };
}
export type CallerKind = keyof Callers;

/** The bases an endpoint is served at; every other base answers 421 with the right one. @spec D1-5.6 */
export type Base = 'front-door' | 'region';

export interface Endpoint {
  /** The operation's name: its OpenAPI id, and its word on the bus. */
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Written as in the specification: path parameters in braces. */
  path: `/${string}`;
  at: readonly Base[];
  spec: `D${1 | 2}-${string}`;
  summary: string;
  callers: readonly CallerKind[];
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** How the body travels; structured is JSON or XML by negotiation. */
  consumes?: 'structured' | 'form';
  status: number;
  result: z.ZodType;
  refusals: readonly ErrorKey[];
}

export const endpoint = <const E extends Endpoint>(e: E): E => e;

type Part<E, K extends keyof Endpoint> = E extends Record<K, infer S extends z.ZodType> ? { [_ in K]: z.output<S> } : unknown;
type PartIn<E, K extends keyof Endpoint> = E extends Record<K, infer S extends z.ZodType> ? { [_ in K]: z.input<S> } : unknown;

/** What a handler receives: validated params, query and body. */
export type Input<E extends Endpoint> = Part<E, 'params'> & Part<E, 'query'> & Part<E, 'body'>;
/** What a client sends. */
export type Request<E extends Endpoint> = PartIn<E, 'params'> & PartIn<E, 'query'> & PartIn<E, 'body'>;
export type Output<E extends Endpoint> = z.output<E['result']>;
export type Caller<E extends Endpoint> = Callers[E['callers'][number]];
