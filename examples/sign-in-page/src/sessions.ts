import { randomBytes } from 'node:crypto';

const MAX_SESSIONS = 10_000;

/** What is kept of browsers, by their cookies, in memory. A page with several replicas keeps it in a store that all of them share. */
export class Sessions<T> {
  private readonly seconds: number;
  private readonly sessions = new Map<string, { kept: T; until: number }>();

  constructor({ seconds }: { seconds: number }) {
    this.seconds = seconds;
  }

  /** Returns the value of the cookie. The oldest session makes way for a new one when there are too many. */
  add(kept: T): string {
    const [oldest] = this.sessions.keys();
    if (oldest !== undefined && this.sessions.size >= MAX_SESSIONS) this.sessions.delete(oldest);
    const cookie = randomBytes(32).toString('base64url');
    this.sessions.set(cookie, { kept, until: Date.now() + this.seconds * 1000 });
    return cookie;
  }

  find(cookie: string): T | undefined {
    const found = this.sessions.get(cookie);
    return found && Date.now() < found.until ? found.kept : undefined;
  }

  remove(cookie: string): void {
    this.sessions.delete(cookie);
  }
}
