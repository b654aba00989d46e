import { Readable } from 'node:stream';
import { refuseInTransaction } from '@codase/runtime/db';
import { count, timed } from '@codase/runtime/telemetry';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, request, type Dispatcher } from 'undici';
import { FileStoreFault, type ByteRange, type FileContent, type ObjectStore } from './file-store.ts';
import { METRICS } from './metrics.ts';
import type { CredentialSource, S3Credentials } from './s3-credentials.service.ts';
import { codeIn, faultOfAnswer, faultOfConnection, isExpired } from './s3-faults.ts';

export interface S3Options {
  endpoint: string;
  bucket: string;
  region: string;
  /** Whether the bucket is part of the path rather than of the host name. */
  isPathStyle: boolean;
  /** The certificate authority that signed the store's certificate, as PEM. */
  ca?: string;
  /** How many connections to the store are open at once; 32 when absent. */
  connections?: number;
  /** How long a download may take; a minute when absent. */
  downloadMs?: number;
  credentials: CredentialSource;
}

type Operation = 'put' | 'get' | 'has' | 'delete' | 'list';

interface Sent {
  operation: Operation;
  method: 'PUT' | 'GET' | 'HEAD' | 'DELETE';
  key?: string;
  query?: Record<string, string>;
  content?: FileContent;
  range?: ByteRange;
  /** Further statuses that are a valid answer and no fault. */
  also?: readonly number[];
}

const CONNECT_MS = 3000;
/** How long the store may send no byte. */
const SILENT_MS = 10_000;
/** Far shorter than the time after which the sweep gives an upload up, so that no upload ends after that. */
const UPLOAD_MS = 10 * 60_000;
const DOWNLOAD_MS = 60_000;
/** Short: if idle connections were kept as long as many servers keep them, a request could use one that the server is closing. */
const KEEP_ALIVE_MS = 500;
const CONNECTIONS = 32;
/** The status of a range that begins after the end of the object. */
const BEYOND = 416;
/** The limit of an answer that is read as a whole: a list of 1,000 keys has 300 KB. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** A client of any store that speaks S3. It repeats a request only when its credentials have expired; callers decide the rest. */
export class S3ObjectStore implements ObjectStore {
  private readonly agent: Agent;
  private readonly base: URL;

  constructor(private readonly options: S3Options) {
    const { ca, endpoint, bucket, isPathStyle, connections = CONNECTIONS } = options;
    this.agent = new Agent({
      connect: { timeout: CONNECT_MS, ...(ca === undefined ? {} : { ca }) },
      connections,
      headersTimeout: SILENT_MS,
      bodyTimeout: SILENT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
    });
    this.base = new URL(endpoint.endsWith('/') ? endpoint : `${endpoint}/`);
    if (isPathStyle) this.base.pathname += bucket;
    else this.base.hostname = `${bucket}.${this.base.hostname}`;
  }

  /** The store compares the digest before it accepts the object, so a success means that it has exactly the bytes that were sent. */
  async put(key: string, content: FileContent): Promise<void> {
    const { body } = await this.send({ operation: 'put', method: 'PUT', key, content });
    await body.dump();
    count(METRICS.storeBytes, { 'codase.operation': 'put' }, content.bytes);
  }

  async get(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>> {
    const { statusCode, body } = await this.send({ operation: 'get', method: 'GET', key, ...(range && { range, also: [BEYOND] }) });
    if (statusCode !== BEYOND) return received(body);
    await body.dump();
    return Readable.from([]);
  }

  async has(key: string): Promise<boolean> {
    const { statusCode, body } = await this.send({ operation: 'has', method: 'HEAD', key, also: [404] });
    await body.dump();
    return statusCode !== 404;
  }

  async delete(key: string): Promise<void> {
    const { body } = await this.send({ operation: 'delete', method: 'DELETE', key });
    await body.dump();
  }

  async list(prefix: string, after: string, most: number): Promise<{ keys: string[]; isLast: boolean }> {
    const query = { 'list-type': '2', 'max-keys': `${most}`, prefix, ...(after === '' ? {} : { 'start-after': after }) };
    const { body } = await this.send({ operation: 'list', method: 'GET', query });
    return keysIn(await shortText(body));
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  private async send(sent: Sent): Promise<Dispatcher.ResponseData> {
    refuseInTransaction('a request to the object store');
    const startedAt = performance.now();
    const outcome = (is: string) => timed(METRICS.storeDuration, startedAt, { 'codase.operation': sent.operation, 'codase.outcome': is });
    try {
      const answer = await this.answered(sent);
      outcome('ok');
      return answer;
    } catch (error) {
      outcome(error instanceof FileStoreFault ? error.kind : 'failed');
      throw error;
    }
  }

  private async answered(sent: Sent): Promise<Dispatcher.ResponseData> {
    const { credentials, bucket } = this.options;
    const first = await credentials.current();
    let answer = await this.request(sent, first);
    if (isGood(answer, sent)) return answer;
    let code = codeIn(await shortText(answer.body));
    if (credentials.renewed && isExpired({ method: sent.method, status: answer.statusCode, code })) {
      answer = await this.request(sent, await credentials.renewed(first));
      if (isGood(answer, sent)) return answer;
      code = codeIn(await shortText(answer.body));
    }
    throw faultOfAnswer({ status: answer.statusCode, code, bucket });
  }

  private async request({ method, key, query = {}, content, range }: Sent, credentials: S3Credentials): Promise<Dispatcher.ResponseData> {
    const url = new URL(this.base);
    if (key !== undefined) url.pathname += `/${key}`;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const { region, downloadMs = DOWNLOAD_MS } = this.options;
    const digest = content?.sha256 ?? EMPTY_SHA256;
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      headers: { 'x-amz-content-sha256': digest },
      service: 's3',
      region,
      ...credentials,
    }).sign();
    const headers = {
      ...Object.fromEntries(signed.headers),
      ...(content && { 'content-length': `${content.bytes}` }),
      ...(range && { range: `bytes=${range.from}-${range.to - 1}` }),
    };
    const source = content && new Source(content);
    const body = source && Readable.from(source.read(), { objectMode: false });
    const signal = AbortSignal.timeout(content ? UPLOAD_MS : downloadMs);
    return request(signed.url, { method, headers, body, dispatcher: this.agent, signal }).catch((error: unknown) => {
      throw source?.failure ?? faultOfConnection(codeOf(error));
    });
  }
}

const isGood = ({ statusCode }: Dispatcher.ResponseData, { also = [] }: Sent): boolean => statusCode < 300 || also.includes(statusCode);

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The content that is sent. `failure` says why it could not be read, which is no fault of the store. */
class Source {
  failure: unknown;

  constructor(private readonly content: FileContent) {}

  async *read(): AsyncIterable<Uint8Array> {
    try {
      yield* this.content.read();
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

async function* received(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  } catch (error) {
    throw faultOfConnection(codeOf(error));
  } finally {
    count(METRICS.storeBytes, { 'codase.operation': 'get' }, bytes);
  }
}

async function shortText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of received(body)) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new FileStoreFault('unreachable', 'the object store answered with more than was asked for');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns the code of an error of Node, or of the cause that undici wraps. */
function codeOf(error: unknown): string | undefined {
  const { code, cause, name } = error as { code?: unknown; cause?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  if (cause) return codeOf(cause);
  return name === 'TimeoutError' ? name : undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescape = (text: string) =>
  text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal: string, hex: string, name: string) =>
    decimal || hex ? String.fromCodePoint(parseInt(decimal ?? hex, decimal ? 10 : 16)) : (ENTITIES[name] ?? whole),
  );

/** Returns the keys in an answer of ListObjectsV2, and whether they are the last ones. */
export function keysIn(xml: string): { keys: string[]; isLast: boolean } {
  const contents = xml.match(/<Contents>[\s\S]*?<\/Contents>/g) ?? [];
  const keys = contents.flatMap((one) => /<Key>([^<]*)<\/Key>/.exec(one)?.slice(1) ?? []);
  return { keys: keys.map(unescape), isLast: !/<IsTruncated>\s*true\s*<\/IsTruncated>/.test(xml) };
}
