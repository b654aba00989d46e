import type { Endpoint } from '@codase/contracts';
import { getGlobalDispatcher, setGlobalDispatcher, type Dispatcher } from 'undici';

/** A request that an actor was about to send, ready to be sent as it is. */
export interface PreparedRequest {
  base: string;
  method: string;
  target: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

class NotSent extends Error {}

/**
 * Holds requests of actors back in this process, each before it is sent. So a run has requests that succeed: actors know how values are
 * sealed, codes are read from mails and PDFs are opened, which the API document does not say.
 */
export class Rehearsal {
  readonly prepared: PreparedRequest[] = [];
  private awaited: { method: string; path: RegExp } | undefined;
  private readonly before = getGlobalDispatcher();

  constructor() {
    const holding: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
      if (this.isAwaited(options)) {
        this.hold(options);
        throw new NotSent('the request is kept');
      }
      return dispatch(options, handler);
    };
    setGlobalDispatcher(this.before.compose(holding));
  }

  close(): void {
    setGlobalDispatcher(this.before);
  }

  /** Does the work up to the request of this operation, which is kept, not sent. */
  async holds({ name, method, path }: Endpoint, work: () => Promise<unknown>): Promise<void> {
    this.awaited = { method, path: patternOf(path) };
    try {
      await work();
    } catch (error) {
      if (!(error instanceof NotSent)) throw new Error(`${name} could not be prepared: ${String(error)}`, { cause: error });
      return;
    } finally {
      this.awaited = undefined;
    }
    throw new Error(`${name} was not requested`);
  }

  private isAwaited({ method, path }: Dispatcher.DispatchOptions): boolean {
    return this.awaited?.method === method && this.awaited.path.test(path.split('?')[0]!);
  }

  private hold({ origin, method, path, headers, body }: Dispatcher.DispatchOptions): void {
    const texts = Object.entries((headers ?? {}) as Record<string, unknown>).map(([name, value]) => [name, String(value)]);
    const bytes = body === undefined || body === null ? undefined : Buffer.from(body as string | Uint8Array);
    this.prepared.push({ base: String(origin), method, target: path, headers: Object.fromEntries(texts), body: bytes });
  }
}

/** Matches the paths of an operation. */
export const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/{\w+}/g, '[^/]+')}$`);
