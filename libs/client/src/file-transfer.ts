import { createHash } from 'node:crypto';
import { BinaryAnswer, operation, readFileAnswer, Refusal, type Endpoint, type Output, type Request } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { retry } from '@codase/runtime/resilience';
import type { Metric } from '@codase/runtime/telemetry';
import { inBytes } from './document-body.ts';
import { REQUEST_TIMEOUT_MS, type TransferOptions, type GatewayHttp } from './gateway-http.ts';
import type { Opener } from './opener.ts';
import { PAYLOAD_BYTES, SealedFileReader } from './sealed-file.ts';
import { fileInEnvelope, type OpenedFile, type ServedFile } from './served-file.ts';
import { unlessAborted } from './unless-aborted.ts';

interface Parts {
  bus: Bus;
  service: string;
  http: GatewayHttp;
  opener: Opener;
}

/** A call with a payload. */
export interface Call<E extends Endpoint> {
  contract: E;
  params?: Record<string, string>;
}

/** The time for the transfer itself, and after it the time that the gateway may wait as for any other call. */
const UPLOAD_TIMEOUT_MS = 120_000;
/** Characters that a message of the bus may have around its payload. */
const AROUND_CHARS = 64 * 1024;
/** How often a body is sent. The gateway cannot send it again, to another base or with another token: this client makes it anew. */
const SEND_RETRIES = { backoff: { firstMs: 500, longestMs: 2000, jitter: 0.2 }, bound: { attempts: 3 } };

/**
 * Transfers files to the platform and back. Uploads go over the bus when they fit into a message, otherwise through the gateway's HTTP
 * server. Downloads use that server whenever its address is known.
 */
export class FileTransfer {
  constructor(private readonly parts: Parts) {}

  /** Sends a body, and again while the gateway is unavailable, so the body may arrive twice. `bytes` is the length of the file in it. */
  send<E extends Endpoint>(
    call: Call<E>,
    body: () => AsyncIterable<string>,
    bytes: number,
    { metric, ...options }: TransferOptions & { metric: Metric<'counter'> },
  ): Promise<Output<E>> {
    return retry(() => this.sendOnce(call, body(), bytes, options), {
      ...SEND_RETRIES,
      metric,
      attributes: { 'codase.service': this.parts.service },
      isWorth: (error) => error instanceof Refusal && error.key === 'service.unavailable' && options.signal?.aborted !== true,
    });
  }

  /** Hands the bytes of the answer to `take` as they come, and returns their type. Throws when they do not fit their digest. */
  async read<E extends Endpoint>(
    contract: E,
    request: Request<E>,
    options: TransferOptions,
    take: (bytes: Uint8Array) => void,
  ): Promise<string> {
    const { http } = this.parts;
    if (!http.isKnown) return this.readFromBus(contract, request, options, take);
    const { body, content_type, content_sha256 } = await http.download(contract, request, options);
    const hash = createHash('sha256');
    let length = 0;
    for await (const chunk of body) {
      length += chunk.length;
      if (length > PAYLOAD_BYTES) throw new Refusal('documents.too_large');
      hash.update(chunk);
      take(chunk);
    }
    if (content_sha256 !== undefined && hash.digest('hex') !== content_sha256)
      throw new Refusal('service.unavailable').because('The file is not what its digest says: it was damaged on the way, so read it again');
    return content_type;
  }

  /** Reads and opens a file sealed to the service: the decryptor unwraps its key, and this process opens it. @gap D1-2.8 */
  async open<E extends Endpoint>(contract: E, request: Request<E>, options: TransferOptions): Promise<OpenedFile> {
    return (await this.readSealed(contract, request, options)).open((wrapped_key) => this.parts.opener.unwrapKey(wrapped_key));
  }

  /** As `open`, for a file that may have several pages. */
  async openServed<E extends Endpoint>(contract: E, request: Request<E>, options: TransferOptions): Promise<ServedFile> {
    return (await this.readSealed(contract, request, options)).openServed((wrapped_key) => this.parts.opener.unwrapKey(wrapped_key));
  }

  private async readSealed<E extends Endpoint>(contract: E, request: Request<E>, options: TransferOptions): Promise<SealedFileReader> {
    const reader = new SealedFileReader();
    await this.read(contract, request, options, (bytes) => reader.addAnswer(bytes));
    return reader;
  }

  /** Reads a file in any of its three forms, whole in memory. A sealed file is opened. @spec D1-2.8 */
  async readServed<E extends Endpoint>(contract: E, request: Request<E>, options: TransferOptions): Promise<ServedFile> {
    const chunks: Uint8Array[] = [];
    const type = await this.read(contract, request, options, (bytes) => void chunks.push(bytes));
    const bytes = Buffer.concat(chunks.splice(0));
    const { data: answer } = BinaryAnswer.safeParse(readFileAnswer(BinaryAnswer, { content_type: type, bytes }));
    if (!answer) throw new Refusal('decryptor.unreadable');
    if ('bytes' in answer) return { bytes, name: null, type };
    return fileInEnvelope(answer.encrypted ? (await this.parts.opener.open({ value: answer.value })).plaintext : answer.value);
  }

  private async sendOnce<E extends Endpoint>(
    { contract, ...given }: Call<E>,
    body: AsyncIterable<string>,
    bytes: number,
    options: TransferOptions,
  ): Promise<Output<E>> {
    const isLong = (bytes * 16) / 9 + AROUND_CHARS > this.parts.bus.messageBytes;
    if (isLong) {
      const timeoutMs = options.timeoutMs ?? UPLOAD_TIMEOUT_MS;
      return this.parts.http.uploadPieces(contract, { ...given, pieces: inBytes(body) }, { ...options, timeoutMs });
    }
    let text = '';
    for await (const piece of body) text += piece;
    return this.ask(contract, { ...given, body: JSON.parse(text) as unknown } as Request<E>, options);
  }

  /** Reads a file over the bus, which works only when it fits into a message. */
  private async readFromBus<E extends Endpoint>(
    contract: E,
    request: Request<E>,
    options: TransferOptions,
    take: (bytes: Uint8Array) => void,
  ): Promise<string> {
    const answer = (await this.ask(contract, request, options)) as object;
    if (!('bytes' in answer)) {
      take(Buffer.from(JSON.stringify(answer)));
      return 'application/json';
    }
    const { bytes, content_type } = answer as { bytes: Uint8Array; content_type: string };
    take(bytes);
    return content_type;
  }

  private ask<E extends Endpoint>(
    contract: E,
    request: Request<E>,
    { timeoutMs = REQUEST_TIMEOUT_MS, signal }: TransferOptions,
  ): Promise<Output<E>> {
    const { bus, service } = this.parts;
    return unlessAborted([signal], () =>
      bus.request(operation(contract), { service }, request as never, { timeout: timeoutMs }),
    ) as Promise<Output<E>>;
  }
}
