import { createPrivateKey } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Sample } from './bench.ts';

/** Nothing but RSA-OAEP with a key imported once, on a thread of its own: as fast as this machine can be. */
const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { constants, createPrivateKey, privateDecrypt } = require('node:crypto');
  const key = { key: createPrivateKey(workerData.pem), padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  parentPort.on('message', (seconds) => {
    const start = performance.now();
    let operations = 0;
    while (performance.now() - start < seconds * 1000) { privateDecrypt(key, workerData.k); operations += 1; }
    parentPort.postMessage(operations);
  });
`;

/** The floor of whatever opens values: bare RSA-2048 private operations on all cores. */
export class BareRsa {
  private readonly workers: Worker[];

  /** The private key in PKCS#8 DER, and a value that was sealed to it. */
  constructor(pkcs8: Uint8Array, wrapper: string) {
    const pem = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' }).export({ format: 'pem', type: 'pkcs8' });
    const k = Buffer.from((JSON.parse(wrapper) as { k: string }).k, 'base64');
    this.workers = Array.from({ length: availableParallelism() }, () => new Worker(THREAD, { eval: true, workerData: { pem, k } }));
  }

  async run(seconds: number): Promise<Sample> {
    const start = performance.now();
    const done = this.workers.map((worker) => new Promise<number>((resolve) => worker.once('message', resolve)));
    for (const worker of this.workers) worker.postMessage(seconds);
    const operations = (await Promise.all(done)).reduce((sum, count) => sum + count, 0);
    return { operations, seconds: (performance.now() - start) / 1000 };
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.terminate()));
  }
}
