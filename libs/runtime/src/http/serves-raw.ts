import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { RequestMapping, RequestMethod, SetMetadata } from '@nestjs/common';
import type { Endpoint, Refusal } from '@codase/contracts';
import { routePath } from './serves.ts';

export const RAW_ROUTE = Symbol('raw route');

/** A route that is not part of the platform's API: its bodies are bytes that no contract describes. */
export interface RawRoute {
  methods: readonly Endpoint['method'][];
  /** The path as in contracts, with parameters in braces. */
  path: `/${string}`;
  /**
   * `bytes`: the body is read whole, exactly as it came, when the handler asks for it, which may be after it has looked at the headers.
   * `stream`: the handler reads the body while it comes.
   */
  body: 'bytes' | 'stream';
  /** The largest body in bytes, when it is read whole; BODY_BYTES by default. */
  largest?: number;
  /** Called with each refusal that the route answers. */
  onRefused?(refusal: Refusal): void;
}

export interface RawRequest<B extends RawRoute['body'] = RawRoute['body']> {
  method: string;
  /** Path and query, as they came. */
  url: string;
  params: Readonly<Record<string, string>>;
  headers: IncomingHttpHeaders;
  body: B extends 'bytes' ? () => Promise<Buffer> : Readable;
  /** Aborted when the caller is gone before it has the whole answer. */
  gone: AbortSignal;
  /** Does work in the trace that the caller sent. For use once the handler knows who calls. */
  inCallersTrace<T>(work: () => T): T;
}

/** The answer of a raw route. An object is written as JSON; a stream is sent as it comes, with the given headers alone. */
export interface RawAnswer {
  status: number;
  headers?: Readonly<Record<string, string | string[]>>;
  body: Readable | object;
}

type Handler<B extends RawRoute['body']> = (request: RawRequest<B>) => RawAnswer | Promise<RawAnswer>;

/** Binds a controller method to a raw route. The handler decides who may call. */
export const ServesRaw =
  <const R extends RawRoute>(route: R) =>
  <H extends Handler<R['body']>>(target: object, name: string, method: TypedPropertyDescriptor<H>): void => {
    SetMetadata(RAW_ROUTE, route)(target, name, method as PropertyDescriptor);
    const [only, ...more] = route.methods;
    const mapped = only !== undefined && more.length === 0 ? RequestMethod[only] : RequestMethod.ALL;
    RequestMapping({ path: routePath(route), method: mapped })(target, name, method as PropertyDescriptor);
  };
