import { setTimeout as pause } from 'node:timers/promises';
import { feed } from '@codase/contracts';
import type { Backend } from '@codase/testing';

const METHODS = ['HEAD', 'OPTIONS'] as const;

/** Sends HEAD and OPTIONS to the drains (plain, by lease and of a webhook) at every region. None of them may take an event. @spec D1-4.3 */
export class HarmlessRequests {
  count = 0;
  private token: string | undefined;

  constructor(
    private readonly backend: Backend,
    private readonly bases: readonly string[],
    private readonly options: { webhook_id: string; everyMs: number },
  ) {}

  async sendUntil(isOver: () => boolean): Promise<void> {
    for (let nth = 0; !isOver(); nth++) {
      await this.send(nth).catch(() => undefined); // the region is down
      await pause(this.options.everyMs);
    }
  }

  private async send(nth: number): Promise<void> {
    const token = (this.token ??= (await this.backend.getsToken()).access_token);
    const queries = ['', '?lease=new', `?webhook_id=${this.options.webhook_id}`];
    for (const query of queries) {
      const url = `${this.bases[nth % this.bases.length]}${feed.drainChanges.path}${query}`;
      const method = METHODS[Math.floor(nth / this.bases.length) % METHODS.length]!;
      const answer = await fetch(url, { method, headers: { authorization: `Bearer ${token}` } });
      await answer.arrayBuffer();
      if (answer.status === 401) this.token = undefined;
      this.count += 1;
    }
  }
}
