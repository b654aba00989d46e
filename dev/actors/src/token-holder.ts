import { Refusal, type Endpoint, type Output, type Request, type TokenResponse } from '@codase/contracts';
import type { Device } from './device.ts';
import { Stranger, type CallOptions } from './stranger.ts';

/** The home region that calls go to, and the token they carry. */
interface Session {
  token: string;
  home: string;
}

/** Gets a token at the front door on first use, and follows a home region that has moved. @spec D1-5.3 @spec D1-5.6 */
export abstract class TokenHolder extends Stranger {
  private session: Promise<Session> | undefined;
  private ownDevice: Device | undefined;

  /** The device that the tokens are bound to, if it has a key. */
  get device(): Device | undefined {
    return this.ownDevice;
  }

  /** Uses a device with a key from the next token on, or, without one, bearer tokens again. */
  uses(device: Device | undefined): void {
    this.ownDevice = device;
    this.session = undefined;
  }

  protected abstract requestToken(): Promise<TokenResponse>;

  /** Gets a new token, which later calls use. */
  async getsToken(): Promise<TokenResponse> {
    const answer = await this.requestToken();
    this.session = Promise.resolve({ token: answer.access_token, home: answer.api_url! });
    return answer;
  }

  /**
   * Calls an endpoint with the current token, at the home region by default. When a 421 names another region, the call is sent there once
   * and the region is remembered, so a second 421 is an error. An expired token is not renewed by itself: a test that lets an hour pass
   * calls `getsToken`.
   */
  override async asks<E extends Endpoint>(
    contract: E,
    request: Request<E>,
    { at, token, device = this.ownDevice }: CallOptions = {},
  ): Promise<Output<E>> {
    if (contract.callers.includes('anyone')) return super.asks(contract, request, { ...(at && { at }), ...(token && { token }), device });
    const session = await this.current();
    const call = (to: string) => super.asks(contract, request, { at: to, token: token ?? session.token, device });
    if (at !== undefined) return call(at);
    return call(session.home).catch((error: unknown) => {
      session.home = movedTo(error);
      return call(session.home);
    });
  }

  /** Follows a stream with the current token, at the home region by default. */
  override async *follows<E extends Endpoint & { produces: 'events' }>(
    contract: E,
    request: Request<E>,
    options: CallOptions = {},
  ): AsyncGenerator<Output<E>> {
    const { token, home } = await this.current();
    yield* super.follows(contract, request, { at: home, token, device: this.ownDevice, ...options });
  }

  /** Returns the session. Simultaneous calls share one token. */
  private current(): Promise<Session> {
    const session = this.session ?? this.getsToken().then(({ access_token, api_url }) => ({ token: access_token, home: api_url! }));
    this.session = session;
    session.catch(() => (this.session = undefined));
    return session;
  }
}

function movedTo(error: unknown): string {
  if (error instanceof Refusal && error.key === 'region.rebase_required') return (error.extras as { api_url: string }).api_url;
  throw error;
}
