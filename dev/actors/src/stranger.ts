import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoint, Output, Request } from '@codase/contracts';
import { ApiClient, type Exchange, type SentRequest } from '@codase/runtime/http';
import type { Device } from './device.ts';

/** The timeout of a call: only a call that hangs takes so long, even on a busy machine. */
const TIMEOUT_MS = 120_000;

/** The base and the token of a call, when they are not the default ones. */
export interface CallOptions {
  at?: string;
  token?: string;
  /** The caller's address, as a proxy in front of the server would forward it. Only a service that trusts this machine reads it. */
  from?: string;
  signal?: AbortSignal;
  /** The device that proves with each request that it has its key. */
  device?: Device | undefined;
}

type Streamed = Endpoint & { produces: 'events' };
export type Asks = Pick<Stranger, 'asks'>;

/** A caller without a token. */
export class Stranger {
  constructor(readonly frontDoorUrl: string) {}

  /** Calls an endpoint by its contract, and logs the result for the matrix. */
  asks<E extends Endpoint>(contract: E, request: Request<E>, options: CallOptions = {}): Promise<Output<E>> {
    return this.client(options).call(contract, request);
  }

  /** Yields the events of a stream as they arrive. */
  follows<E extends Streamed>(contract: E, request: Request<E>, options: CallOptions = {}): AsyncIterable<Output<E>> {
    return this.client(options).events(contract, request);
  }

  private client({ at = this.frontDoorUrl, token, from, signal, device }: CallOptions): ApiClient {
    const options = {
      ...(token !== undefined && { token }),
      ...(from !== undefined && { headers: { 'x-forwarded-for': from } }),
      ...(signal && { signal }),
      ...(device && { proves: (request: SentRequest) => device.proves(request) }),
    };
    return new ApiClient(at, { ...options, timeoutMs: TIMEOUT_MS, onExchange: recordExchange });
  }
}

/** What an actor does in one capability. */
export abstract class Facet<A extends Asks = Asks> {
  constructor(protected readonly actor: A) {}
}

/** Logs the endpoint name and the result of an HTTP call, so that the matrix counts what tests really tried. */
function recordExchange({ contract, status, error_key }: Exchange): void {
  const dir = process.env['CODASE_EXCHANGE_LOG'];
  if (!dir) return;
  mkdirSync(dir, { recursive: true });
  appendFileSync(
    join(dir, `${process.pid}.jsonl`),
    `${JSON.stringify({ endpoint: contract.name, status, ...(error_key && { error_key }) })}\n`,
  );
}
