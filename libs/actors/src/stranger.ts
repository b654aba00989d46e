import type { Endpoint, Output, Request } from '@cds/contracts';
import { ApiClient } from '@cds/runtime/http';
import { recordExchange } from './exchange-log.ts';

/** Only what hangs takes so long, also on a machine that has much else to do. */
const TIMEOUT_MS = 120_000;

/** Where a call goes and with whose token, where it is not the usual. */
export interface CallOptions {
  at?: string;
  token?: string;
  /** The address of the caller, as a proxy before the server would forward it; heard by a service that trusts this machine. */
  from?: string;
  /** Ends the call. */
  signal?: AbortSignal;
}

type Streamed = Endpoint & { produces: 'events' };

/** Anyone with an HTTP client. */
export class Stranger {
  readonly frontDoorUrl: string;

  constructor(frontDoorUrl: string) {
    this.frontDoorUrl = frontDoorUrl;
  }

  /** Calls an endpoint as its contract says, and leaves a note of how it went. */
  asks<E extends Endpoint>(contract: E, request: Request<E>, options: CallOptions = {}): Promise<Output<E>> {
    return this.client(options).call(contract, request);
  }

  /** The events of a stream, as they come. */
  follows<E extends Streamed>(contract: E, request: Request<E>, options: CallOptions = {}): AsyncIterable<Output<E>> {
    return this.client(options).events(contract, request);
  }

  private client({ at = this.frontDoorUrl, token, from, signal }: CallOptions): ApiClient {
    const options = {
      ...(token !== undefined && { token }),
      ...(from !== undefined && { headers: { 'x-forwarded-for': from } }),
      ...(signal && { signal }),
    };
    return new ApiClient(at, { ...options, timeoutMs: TIMEOUT_MS, onExchange: recordExchange });
  }
}
