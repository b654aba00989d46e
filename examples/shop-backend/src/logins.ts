import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CodaseClient, LoginResult, Raised } from '@codase/client';

/** What the login page gets: the id to ask for the outcome with, and the digits to show. */
interface BegunLogin {
  login: string;
  matching_digits?: string | undefined;
}

/** How long the outcome of a login is kept. In your service, an approved login then gets a session of your own. */
const KEPT_MS = 10 * 60_000;

/** Logins that persons approve on their phones, without a password. */
export class Logins {
  private readonly codase: CodaseClient;
  private readonly ends = new Map<string, Promise<LoginResult>>();

  constructor(codase: CodaseClient) {
    this.codase = codase;
  }

  /**
   * Challenges the person, and resolves as soon as the challenge is raised. Rejects when the person cannot be challenged. There are no
   * digits to show when the person has already answered, which happens when the reply to the first attempt was lost.
   */
  begin(share_code: string, where: string): Promise<BegunLogin> {
    const login = randomUUID(); // also the idempotency key, since each login has its own
    return new Promise((resolve, reject) => {
      const onRaised = ({ matching_digits }: Raised) => resolve({ login, matching_digits });
      const end = this.codase.challenge({ share_code, context: `Sign-in to the shop from ${where}`, key: login }, { onRaised });
      this.ends.set(login, end);
      end.then(() => resolve({ login }), reject);
      setTimeout(() => this.ends.delete(login), KEPT_MS).unref();
    });
  }

  /** Waits until the person has answered. Returns undefined for an unknown login. */
  end(login: string): Promise<LoginResult> | undefined {
    return this.ends.get(login);
  }
}

type Next = () => void;
/** A middleware, as Express defines it. */
type Guard = (request: IncomingMessage, response: ServerResponse, next: Next) => Promise<void>;

/** Lets a request through when its login was approved: `app.use('/account', approvedBy(logins))`. */
export const approvedBy =
  (logins: Logins): Guard =>
  async (request, response, next) => {
    const login = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const result = await Promise.resolve(logins.end(login)).catch(() => undefined);
    if (result?.approved) return next();
    response
      .writeHead(result ? 403 : 401, { 'content-type': 'application/json' })
      .end(JSON.stringify({ approved: false, status: result?.status ?? 'unknown' }));
  };
