import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AwsClient } from 'aws4fetch';
import type { S3Credentials } from '../../../src/storage/files/s3-credentials.service.ts';
import { S3ObjectStore, type S3Options } from '../../../src/storage/files/s3-object-store.service.ts';

/** The one account that s3rver has. */
const S3RVER: S3Credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

/**
 * A store that speaks S3, with a bucket of its own: s3rver, or the server that CODASE_S3_ENDPOINT names, as the account of
 * CODASE_S3_ACCESS_KEY_ID and CODASE_S3_SECRET_ACCESS_KEY.
 */
export class S3Server {
  readonly bucket = `codase-test-${randomUUID()}`;
  readonly region = 'us-east-1';
  readonly store: S3ObjectStore;

  private constructor(
    readonly endpoint: string,
    readonly credentials: S3Credentials,
    private readonly stop: () => Promise<void>,
  ) {
    this.store = this.storeAt();
  }

  static async open(): Promise<S3Server> {
    const { CODASE_S3_ENDPOINT: endpoint, CODASE_S3_ACCESS_KEY_ID, CODASE_S3_SECRET_ACCESS_KEY } = process.env;
    const server = endpoint
      ? new S3Server(endpoint, { accessKeyId: CODASE_S3_ACCESS_KEY_ID!, secretAccessKey: CODASE_S3_SECRET_ACCESS_KEY! }, () =>
          Promise.resolve(),
        )
      : await openHere((...made) => new S3Server(...made));
    await server.bucketIs('PUT');
    return server;
  }

  private async bucketIs(method: 'PUT' | 'DELETE'): Promise<void> {
    const client = new AwsClient({ ...this.credentials, service: 's3', region: this.region });
    const { ok, status } = await client.fetch(`${this.endpoint}/${this.bucket}`, { method });
    if (!ok) throw new Error(`${method} of the bucket: ${status}`);
  }

  /** Deletes the bucket with everything in it. Returns the deleted objects. */
  async losesBucket(): Promise<ReadonlyMap<string, Buffer>> {
    const lost = new Map<string, Buffer>();
    for (const key of await this.keys()) {
      lost.set(key, await buffer(Readable.from(await this.store.get(key))));
      await this.store.delete(key);
    }
    await this.bucketIs('DELETE');
    return lost;
  }

  async getsBucketBack(lost: ReadonlyMap<string, Buffer>): Promise<void> {
    await this.bucketIs('PUT');
    for (const [key, bytes] of lost) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      await this.store.put(key, { bytes: bytes.length, sha256, read: () => Readable.from([bytes]) });
    }
  }

  /** The platform's own store, with other settings. */
  storeAt({
    endpoint = this.endpoint,
    bucket = this.bucket,
    credentials = { current: () => this.credentials },
    ...others
  }: Partial<Omit<S3Options, 'region' | 'isPathStyle'>> = {}): S3ObjectStore {
    return new S3ObjectStore({ endpoint, bucket, region: this.region, isPathStyle: true, credentials, ...others });
  }

  /** The environment of a region that uses this store. */
  env(endpoint = this.endpoint): Record<string, string> {
    return {
      FILE_STORE: 's3',
      S3_ENDPOINT: endpoint,
      S3_BUCKET: this.bucket,
      S3_REGION: this.region,
      S3_ACCESS_KEY_ID: this.credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: this.credentials.secretAccessKey,
    };
  }

  async keys(): Promise<string[]> {
    return (await this.store.list('', '', 1000)).keys;
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.stop();
  }
}

/** Starts s3rver in a process of its own: it encrypts the cursors of its lists with DES, which Node supports only with a flag. */
async function openHere(make: (endpoint: string, credentials: S3Credentials, stop: () => Promise<void>) => S3Server): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'codase-s3-'));
  const program = createRequire(import.meta.url).resolve('@20minutes/s3rver');
  const script = `const S3rver = require(${JSON.stringify(program)});
    new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: ${JSON.stringify(directory)} })
      .run().then(({ port }) => process.stdout.write(String(port)));
    process.stdin.on('end', () => process.exit()).resume();`;
  const server = spawn(process.execPath, ['--openssl-legacy-provider', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = (await once(server.stdout, 'data')) as [Buffer];
  return make(`http://127.0.0.1:${port.toString()}`, S3RVER, async () => {
    const exited = once(server, 'exit');
    server.kill();
    await exited;
    await rm(directory, { recursive: true, force: true });
  });
}
