import { createHash } from 'node:crypto';
import { Refusal } from '@codase/contracts';

/** A caller of the gateway over HTTP, and the names of the clients it may act as. */
export interface HttpCaller {
  name: string;
  may: readonly string[];
}

/** Finds callers by the digests of their tokens. */
export class CallerTokens {
  private readonly callers: ReadonlyMap<string, HttpCaller>;

  constructor(callers: Readonly<Record<string, { token: string; may: readonly string[] }>>) {
    this.callers = new Map(Object.entries(callers).map(([name, { token, may }]) => [digest(token), { name, may }]));
  }

  callerOf(authorization: string | undefined): HttpCaller {
    const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
    const caller = token && this.callers.get(digest(token));
    if (!caller)
      throw new Refusal('auth.token_invalid').because('The gateway does not know this token: an operator names you in its CALLERS');
    return caller;
  }
}

const digest = (token: string) => createHash('sha256').update(token).digest('hex');
