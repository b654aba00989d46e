import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { DEMO, regionUrl } from '@codase/stack';
import { Agent, request, type Dispatcher } from 'undici';
import { BenchStack } from '../harness/bench-stack.ts';
import { onDatabase, type RunStatement } from '../harness/database.ts';
import type { ServerProcess } from '../harness/server-process.ts';

const BINARY = 'application/octet-stream';
/** Random data, like ciphertext, so that no database can compress it. */
const CHUNK = Buffer.from(randomBytes(48 * 1024).toString('base64'));

/** A recipient: Ana's home is the company's region, Ben's is another region. */
type Recipient = 'ana' | 'ben';

/** The demo's company with two customers, to measure what its documents cost the processes of both regions. */
export class DocumentsStack {
  private readonly agent = new Agent({ connections: 20, headersTimeout: 120_000, bodyTimeout: 120_000 });

  private constructor(
    private readonly stack: BenchStack,
    readonly regions: { eu: ServerProcess; us: ServerProcess },
    private readonly tokens: { shop: string; ana: string; ben: string },
  ) {}

  static async open(port: number): Promise<DocumentsStack> {
    const stack = await BenchStack.open({ durable: true, port });
    const { databases } = stack.settings;
    await onDatabase(databases.region_eu.owner, async (run) => {
      for (const recipient of ['ana', 'ben'] as const) await connect(run, recipient);
    });
    await onDatabase(
      databases.region_us.owner,
      (run) => run`insert into customer_company (customer_user_id, company_user_id) values ('usr_demo_ben', 'usr_demo_acme')`,
    );
    await stack.start('front-door');
    const regions = { eu: await stack.start('region-eu'), us: await stack.start('region-us') };
    const tokens = {
      shop: await stack.mint(DEMO.client_id, DEMO.client_id),
      ana: await stack.mint('app_person', 'usr_demo_ana'),
      ben: await stack.mint('app_person', 'usr_demo_ben'),
    };
    return new DocumentsStack(stack, regions, tokens);
  }

  /** Issues a document to one customer, as a wrapper whose content has this many bytes. Returns the document's id. */
  issue(recipient: Recipient, bytes: number): Promise<string> {
    const target = JSON.stringify({ person_user_id: `usr_demo_${recipient}` });
    return this.create(`{"name":"Scan","payload_kind":"file","target":${target},"file":"${WRAPPER}`, bytes, '\\"}"}');
  }

  /** Sends the same body to a server that returns it. Returns how many bytes came back. */
  async echo(url: string, bytes: number): Promise<number> {
    return bytesIn(await this.post(url, `{"name":"Scan","payload_kind":"file","file":"${WRAPPER}`, bytes, '\\"}"}'));
  }

  /** Issues an unencrypted file to all customers. Returns the document's id. */
  broadcast(bytes: number): Promise<string> {
    const whole = bytes - (bytes % 3);
    const envelope = JSON.stringify({ size: whole, original_name: 'a.bin', mime_type: BINARY, file: `data:${BINARY};base64,` });
    return this.create(`{"name":"Scan","payload_kind":"file","file":${envelope.slice(0, -2)}`, whole, '"}}');
  }

  fetchOwn(id: string): Promise<number> {
    return this.fetch(`${this.url('eu')}/api/company-data/documents/${id}/file`, this.tokens.shop);
  }

  fetchReceived(recipient: Recipient, id: string): Promise<number> {
    return this.fetch(`${this.url(recipient === 'ana' ? 'eu' : 'us')}/api/app/documents/${id}/file`, this.tokens[recipient]);
  }

  async close(): Promise<void> {
    await this.agent.destroy();
    await this.stack.close();
  }

  private url(region: 'eu' | 'us'): string {
    return regionUrl(this.stack.settings.ports, region);
  }

  private async create(before: string, bytes: number, after: string): Promise<string> {
    const { statusCode, body } = await this.post(`${this.url('eu')}/api/company-data/documents`, before, bytes, after);
    const text = await body.text();
    if (statusCode !== 201) throw new Error(`a document was answered with ${statusCode}: ${text}`);
    return (JSON.parse(text) as { id: string }).id;
  }

  /** Posts a JSON body with a long string: the base64 of this many bytes. */
  private post(url: string, before: string, bytes: number, after: string): Promise<Dispatcher.ResponseData> {
    const chars = Math.floor(bytes / 3) * 4;
    return request(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.tokens.shop}`,
        'content-type': 'application/json',
        'content-length': String(before.length + chars + after.length),
      },
      body: Readable.from(bodyOf(before, chars, after), { objectMode: false }),
      dispatcher: this.agent,
    });
  }

  private async fetch(url: string, token: string): Promise<number> {
    return bytesIn(await request(url, { headers: { authorization: `Bearer ${token}` }, dispatcher: this.agent }));
  }
}

async function bytesIn({ statusCode, body }: Dispatcher.ResponseData): Promise<number> {
  if (statusCode !== 200) throw new Error(`a payload was answered with ${statusCode}: ${await body.text()}`);
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) bytes += chunk.length;
  return bytes;
}

const base64 = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64');
/** The beginning of a wrapper, escaped for a JSON string. */
const WRAPPER = JSON.stringify(`{"_enc":1,"k":"${base64(256)}","iv":"${base64(12)}","d":"`).slice(1, -1);

async function* bodyOf(before: string, chars: number, after: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(before);
  for (let sent = 0; sent < chars; sent += CHUNK.length) yield CHUNK.subarray(0, Math.min(CHUNK.length, chars - sent));
  yield Buffer.from(after);
}

const connect = (run: RunStatement, recipient: Recipient) => run`
  insert into connection (connection_id, company_user_id, service_id, customer_user_id, customer_type, display_name, share_code,
                          public_key, connected_at)
  select ${`con_${recipient}`}, company_user_id, service_id, ${`usr_demo_${recipient}`}, 'person', ${recipient},
         ${recipient.toUpperCase()}, '', now()
    from service where service_id = 'ser_demo_shop'`;
