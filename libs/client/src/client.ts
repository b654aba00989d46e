import { operation, type Endpoint, type Output, type Request } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import { openLog, type Log } from '@cds/runtime/telemetry';

export interface ConnectOptions {
  /** The suite's NATS, as in nats://127.0.0.1:4222. */
  url: string;
  user: string;
  password: string;
  /** Which of the gateway's services to act for. */
  service: string;
  log?: Log;
}

/** What an internal service holds: typed requests to the platform, over the bus alone. */
export interface CdsClient {
  /** Asks the platform through the gateway; a refusal comes back as a Refusal with its key. */
  request<E extends Endpoint>(contract: E, request: Request<E>): Promise<Output<E>>;
  close(): Promise<void>;
}

export async function connect({ url, user, password, service, log = openLog(user) }: ConnectOptions): Promise<CdsClient> {
  const bus = await Bus.connect({ url, user, password, name: user, log });
  return {
    request: (contract, request) => bus.request(operation(contract), { service }, request as never) as never,
    close: () => bus.close(),
  };
}
