import { ERRORS, isErrorKey, retryAdvice, statusesOf, type ErrorExtras, type ErrorKey } from './errors.ts';

type Extras<K extends ErrorKey> = K extends keyof ErrorExtras ? [extras: ErrorExtras[K]] : [];

/** The body of a refusal as it travels. Token errors keep the member names OAuth clients read. @spec D1-7 @gap D1-4.1 */
export type RefusalBody = { error: string; error_key: string; error_description?: string } & Record<string, unknown>;

/** The only error with which the apps say no. Decisions throw it, the HTTP server and the bus write it, a client rebuilds it. */
export class Refusal<K extends ErrorKey = ErrorKey> extends Error {
  readonly key: K;
  readonly extras: object;
  status: number;
  /** Seconds after which the same call may be repeated. */
  retryAfter: number | undefined;
  private oauthError: string | undefined;

  constructor(key: K, ...extras: Extras<K>) {
    super(ERRORS[key][1]);
    this.name = 'Refusal';
    this.key = key;
    this.status = ERRORS[key][0];
    this.extras = extras[0] ?? {};
    this.oauthError = key.startsWith('oauth.') ? key.slice('oauth.'.length) : undefined;
    this.retryAfter = retryAdvice(key).seconds;
  }

  /** Replaces the catalogue's message with one that says better how to fix the problem. The message never holds a person's value. */
  because(reason: string): this {
    this.message = reason;
    return this;
  }

  after(seconds: number): this {
    this.retryAfter = seconds;
    return this;
  }

  /** Sets the OAuth error name for the clients of the token endpoint, which read nothing else. @gap D1-4.1 */
  inOAuth(error: string): this {
    this.oauthError = error;
    return this;
  }

  /** Sets the other status of a key that has two. @spec D1-7 */
  withStatus(status: number): this {
    if (!statusesOf(this.key).includes(status)) throw new Error(`${this.key} is never answered with ${status}: see the catalogue`);
    this.status = status;
    return this;
  }

  toBody(): RefusalBody {
    if (this.oauthError === undefined) return { error: this.message, error_key: this.key, ...this.extras };
    return { error: this.oauthError, error_description: this.message, error_key: this.key, ...this.extras };
  }

  /** Rebuilds a refusal from its body and the status it came with; undefined when the body is not that of a refusal. */
  static fromBody(body: unknown, status?: number): Refusal | undefined {
    if (typeof body !== 'object' || body === null) return undefined;
    const { error, error_key, error_description, ...extras } = body as RefusalBody;
    if (!isErrorKey(error_key)) return undefined;
    const rebuild = Refusal as new (key: ErrorKey, extras: object) => Refusal;
    const refusal = new rebuild(error_key, extras).because(String(error_description ?? error));
    return status !== undefined && statusesOf(error_key).includes(status) ? refusal.withStatus(status) : refusal;
  }

  /**
   * Rebuilds a refusal whose key is not in this version's catalogue, because a newer release sent it. Its text has the key and the
   * sentence. Undefined when the status does not say that the call is refused for good.
   */
  static ofNewerRelease(body: unknown, status: number): Refusal | undefined {
    const isFinal = status >= 400 && status < 500 && ![408, 429].includes(status);
    if (!isFinal || typeof body !== 'object' || body === null) return undefined;
    const { error, error_key, error_description } = body as Partial<RefusalBody>;
    if (typeof error_key !== 'string') return undefined;
    return new Refusal('gateway.refusal_unknown').because(`${error_key}: ${error_description ?? error}`);
  }
}
