import { randomBytes } from 'node:crypto';
import { SIGNATURE_HEADER } from '@codase/contracts';
import { signWebhook } from '@codase/crypto';
import type { Postgres } from '@codase/servers';
import { Pool } from 'undici';
import { benchPostgres, DEPLOYED } from '../harness/database.ts';
import type { MessageEvents } from '../harness/message-events.ts';
import { processTreeCpuMicroseconds } from '../harness/process-cpu.ts';
import { ServerProcess } from '../harness/server-process.ts';
import { Effects } from './effects.ts';

const HMAC_SECRET = 'only-for-benches';
/** The simultaneous POSTs: more than a platform with many webhooks would send to one of them, so that the peer never waits. */
const POSTS_AT_ONCE = 32;

interface Delivery {
  body: Buffer;
  signature: string;
}

/** The program without the suite, on its own Postgres with the same settings as the suite's. */
export class Peer {
  private constructor(
    private readonly postgres: Postgres,
    private readonly program: ServerProcess,
    private readonly sender: Pool,
    private readonly messages: MessageEvents,
    readonly effects: Effects,
  ) {}

  static async open(options: { port: number; privateKey: string; messages: MessageEvents }): Promise<Peer> {
    const postgres = await benchPostgres({ settings: DEPLOYED });
    const effects = await Effects.open(postgres.url);
    const program = await ServerProcess.start(new URL('peer-process.js', import.meta.url), {
      NODE_ENV: 'production',
      PORT: String(options.port),
      DATABASE_URL: postgres.url,
      HMAC_SECRET,
      PRIVATE_KEY: options.privateKey,
    });
    const sender = new Pool(`http://127.0.0.1:${options.port}`, { connections: POSTS_AT_ONCE, pipelining: 1 });
    return new Peer(postgres, program, sender, options.messages, effects);
  }

  /** Returns the microseconds of CPU that each part has used so far. */
  spent(): Record<'program' | 'postgres', number> {
    return { program: this.program.cpuMicroseconds, postgres: processTreeCpuMicroseconds(this.postgres.pid) };
  }

  deliveries(events: number): Promise<Delivery[]> {
    return Promise.all(
      Array.from({ length: events }, async () => {
        const { event } = this.messages.next('ser_peer');
        const body = Buffer.from(JSON.stringify({ id: `evt_${randomBytes(12).toString('hex')}`, ...event }));
        return { body, signature: await signWebhook(HMAC_SECRET, body) };
      }),
    );
  }

  async send(deliveries: readonly Delivery[]): Promise<void> {
    const left = deliveries.values();
    const sendSome = async () => {
      for (const delivery of left) await this.post(delivery);
    };
    await Promise.all(Array.from({ length: POSTS_AT_ONCE }, sendSome));
  }

  private async post({ body, signature }: Delivery): Promise<void> {
    const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature };
    const answer = await this.sender.request({ method: 'POST', path: '/hooks', headers, body });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`the peer answered ${answer.statusCode}`);
  }

  async close(): Promise<void> {
    await this.sender.destroy();
    await this.program.stop();
    await this.effects.close();
    await this.postgres.stop();
  }
}
