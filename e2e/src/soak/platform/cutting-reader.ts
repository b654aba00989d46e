import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { feed, type Output } from '@codase/contracts';
import type { Backend } from '@codase/testing';

type Drained = Output<typeof feed.drainChanges>;

/** Chooses after how many bytes of a body the connection is cut; undefined to read it whole. */
type ChooseCut = (bodyBytes: number) => number | undefined;

const TIMEOUT_MS = 30_000;

/** Drains over its own connection, and cuts it where `ChooseCut` says: by a reset or by closing it. */
export class CuttingReader {
  cuts = 0;
  private session: { token: string; home: string } | undefined;

  constructor(private readonly backend: Backend) {}

  /** Drains the feed. Returns undefined when the connection was cut. Throws when the region does not answer with 200. */
  async drain(query: { lease?: string }, chooseCut: ChooseCut): Promise<Drained | undefined> {
    const pending = await this.send(query);
    const [answer] = (await once(pending, 'response')) as [IncomingMessage];
    if (answer.statusCode !== 200) {
      pending.destroy();
      this.session = undefined;
      throw new Error(`the drain was answered ${answer.statusCode}`);
    }
    const body = await this.read(pending, answer, chooseCut(Number(answer.headers['content-length'])));
    return body === undefined ? undefined : (JSON.parse(body) as Drained);
  }

  /** Sends a drain and cuts the connection at a random moment, usually before the answer arrives. */
  async cutBeforeAnswer(query: { lease?: string }): Promise<void> {
    const pending = await this.send(query);
    pending.on('response', (answer) => answer.on('error', () => undefined).pause());
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
    this.cut(pending);
  }

  private async send(query: { lease?: string }): Promise<ClientRequest> {
    if (!this.session) {
      const { access_token, api_url } = await this.backend.getsToken();
      this.session = { token: access_token, home: api_url! };
    }
    const { token, home } = this.session;
    const url = `${home}${feed.drainChanges.path}?${new URLSearchParams(query).toString()}`;
    const pending = request(url, { agent: false, timeout: TIMEOUT_MS, headers: { authorization: `Bearer ${token}` } });
    return pending
      .on('timeout', () => pending.destroy())
      .on('error', () => undefined)
      .end();
  }

  private async read(request: ClientRequest, answer: IncomingMessage, cutAfter: number | undefined): Promise<string | undefined> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of answer) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (cutAfter === undefined || bytes < cutAfter) continue;
      this.cut(request);
      return undefined;
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  private cut(request: ClientRequest): void {
    this.cuts += 1;
    if (Math.random() < 0.5) request.socket?.resetAndDestroy();
    request.destroy();
  }
}
