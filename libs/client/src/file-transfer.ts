import { createHash } from 'node:crypto';
import { BinaryAnswer, operation, Refusal, type Endpoint, type Output, type Request } from '@cds/contracts';
import type { Bus } from '@cds/runtime/bus';
import { retry } from '@cds/runtime/resilience';
import type { Metric } from '@cds/runtime/telemetry';
import { inBytes } from './document-body.ts';
import { REQUEST_TIMEOUT_MS, type TransferOptions, type GatewayHttp } from './gateway-http.ts';
import type { Opener } from './opener.ts';
import { PAYLOAD_BYTES, SealedFileReader } from './sealed-file.ts';
import { fileInEnvelope, type OpenedFile, type ServedFile } from './served-file.ts';

interface Parts {
  bus: Bus;
  service: string;
  http: GatewayHttp;
  opener: Opener;
}

/** A call that takes a payload. */
export interface Call<E extends Endpoint> {
  contract: E;
  params?: Record<string, string>;
}

/** An upload takes as long as its line takes, and then the gateway may wait as for any other call. */
const UPLOAD_TIMEOUT_MS = 120_000;
/** Characters around a payload, in a message of the bus. */
const AROUND_CHARS = 64 * 1024;
/** A body that was sent cannot be sent again by the gateway, to another base or with another token: we make it anew. */
const SEND_RETRIES = { backoff: { firstMs: 500, longestMs: 2000, jitter: 0.2 }, bound: { attempts: 3 } };

/** Files on their way to the platform and back: over the bus as long as they fit into a message, else by the gateway's HTTP server. */
export class FileTransfer {
  private readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** Sends a body until the gateway could bring it: what is sent here may be sent twice. `bytes` is the length of the file in it. */
  send<E extends Endpoint>(
    call: Call<E>,
    body: () => AsyncIterable<string>,
    bytes: number,
    { metric, ...options }: TransferOptions & { metric: Metric<'counter'> },
  ): Promise<Output<E>> {
    return retry(() => this.sendOnce(call, body(), bytes, options), {
      ...SEND_RETRIES,
      metric,
      attributes: { 'cds.service': this.parts.service },
      isWorth: (error) => error instanceof Refusal && error.key === 'service.unavailable' && options.signal?.aborted !== true,
    });
  }

  /** The bytes of the answer as they come, and its type. What is not what its digest says has broken on the way. */
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

  /** A file that is sealed to the service, opened: the decryptor unwraps its own key, and it is opened here. @gap D1-2.8 */
  async open<E extends Endpoint>(contract: E, request: Request<E>, options: TransferOptions): Promise<OpenedFile> {
    return (await this.readSealed(contract, request, options)).open((wrapped_key) => this.parts.opener.unwrapKey(wrapped_key));
  }

  /** The same of what may have several pages. */
  async openServed<E extends Endpoint>(contract: E, request: Request<E>, options: TransferOptions): Promise<ServedFile> {
    return (await this.readSealed(contract, request, options)).openServed((wrapped_key) => this.parts.opener.unwrapKey(wrapped_key));
  }

  private async readSealed<E extends Endpoint>(contract: E, request: Request<E>, options: TransferOptions): Promise<SealedFileReader> {
    const reader = new SealedFileReader();
    await this.read(contract, request, options, (bytes) => reader.addAnswer(bytes));
    return reader;
  }

  /** A file in any of its three forms, whole in memory: what is sealed is opened. @spec D1-2.8 */
  async readServed<E extends Endpoint>(contract: E, request: Request<E>, options: TransferOptions): Promise<ServedFile> {
    const chunks: Uint8Array[] = [];
    const type = await this.read(contract, request, options, (bytes) => void chunks.push(bytes));
    if (!type.startsWith('application/json')) return { bytes: Buffer.concat(chunks), name: null, type };
    const answer = BinaryAnswer.parse(JSON.parse(Buffer.concat(chunks.splice(0)).toString()));
    if ('bytes' in answer) throw new Refusal('decryptor.unreadable');
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
    return this.ask(contract, { ...given, body: JSON.parse(text) as unknown } as Request<E>, options.timeoutMs);
  }

  /** As long as it fits into a message. */
  private async readFromBus<E extends Endpoint>(
    contract: E,
    request: Request<E>,
    { timeoutMs }: TransferOptions,
    take: (bytes: Uint8Array) => void,
  ): Promise<string> {
    const answer = (await this.ask(contract, request, timeoutMs)) as object;
    if (!('bytes' in answer)) {
      take(Buffer.from(JSON.stringify(answer)));
      return 'application/json';
    }
    const { bytes, content_type } = answer as { bytes: Uint8Array; content_type: string };
    take(bytes);
    return content_type;
  }

  private ask<E extends Endpoint>(contract: E, request: Request<E>, timeoutMs = REQUEST_TIMEOUT_MS): Promise<Output<E>> {
    const { bus, service } = this.parts;
    return bus.request(operation(contract), { service }, request as never, { timeout: timeoutMs }) as Promise<Output<E>>;
  }
}
