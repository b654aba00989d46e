import { Refusal, type Endpoint, type Output, type Request, type TokenResponse } from '@cds/contracts';
import { Stranger, type CallOptions } from './stranger.ts';

/** Where calls go, and the token they carry. */
interface Session {
  token: string;
  home: string;
}

/** Somebody who gets a token at the front door on first use, and follows a home that has moved. @spec D1-5.3 @spec D1-5.6 */
export abstract class TokenHolder extends Stranger {
  private session: Promise<Session> | undefined;

  protected abstract requestToken(): Promise<TokenResponse>;

  /** A fresh token, which is also the one in use from now on. */
  async getsToken(): Promise<TokenResponse> {
    const answer = await this.requestToken();
    this.session = Promise.resolve({ token: answer.access_token, home: answer.api_url! });
    return answer;
  }

  /**
   * Calls an endpoint with the token in use, at its home region by default. Sent elsewhere, it goes there and remembers; a second 421 is
   * an error. An expired token is not renewed unasked: a story that lets an hour pass calls `getsToken`.
   */
  override async asks<E extends Endpoint>(contract: E, request: Request<E>, { at, token }: CallOptions = {}): Promise<Output<E>> {
    if (contract.callers.includes('anyone')) return super.asks(contract, request, { ...(at && { at }), ...(token && { token }) });
    const session = await this.held();
    const call = (to: string) => super.asks(contract, request, { at: to, token: token ?? session.token });
    if (at !== undefined) return call(at);
    return call(session.home).catch((error: unknown) => {
      session.home = movedTo(error);
      return call(session.home);
    });
  }

  /** Follows a stream with the token in use, at the home region by default. */
  override async *follows<E extends Endpoint & { produces: 'events' }>(
    contract: E,
    request: Request<E>,
    options: CallOptions = {},
  ): AsyncGenerator<Output<E>> {
    const { token, home } = await this.held();
    yield* super.follows(contract, request, { at: home, token, ...options });
  }

  /** Calls that come at once share one token. */
  private held(): Promise<Session> {
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
