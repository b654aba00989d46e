import { spawn, type ChildProcess } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Sample } from './bench.ts';
import { onCores, type Cores } from './cores.ts';
import { threadsCpuMicroseconds } from './process-cpu.ts';

/** The program of a process that does only RSA-OAEP with a key imported once, as fast as a core can. */
const WORKER = `
  const { constants, createPrivateKey, privateDecrypt } = require('node:crypto');
  process.once('message', ({ pem, k }) => {
    const key = { key: createPrivateKey(pem), padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    const sealed = Buffer.from(k, 'base64');
    process.on('message', (seconds) => {
      const start = performance.now();
      let operations = 0;
      while (performance.now() - start < seconds * 1000) { privateDecrypt(key, sealed); operations += 1; }
      process.send({ operations, ms: performance.now() - start });
    });
  });
  process.on('disconnect', () => process.exit(0));
`;

/** The floor for opening values: bare RSA-2048 private operations, by one process for each core. */
export class BareRsa {
  private readonly children: ChildProcess[];
  /** The microseconds of CPU for one operation in the last run. */
  microseconds = NaN;

  /** Takes the private key in PKCS#8 DER and a value that is sealed to it. Runs on all cores, or on the given ones. */
  constructor(pkcs8: Uint8Array, wrapper: string, cores?: Cores) {
    const pem = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' }).export({ format: 'pem', type: 'pkcs8' });
    const { k } = JSON.parse(wrapper) as { k: string };
    this.children = Array.from({ length: cores?.count ?? availableParallelism() }, () => {
      const child = spawn(...onCores(cores, process.execPath, ['-e', WORKER]), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      child.send({ pem, k });
      return child;
    });
  }

  /** Runs all processes. The rate is the sum of theirs, each by its own time: the time of messages to them and from them is left out. */
  async run(seconds: number): Promise<Sample & { rate: number }> {
    const before = this.cpu;
    const done = this.children.map(async (child) => ((await once(child, 'message')) as [{ operations: number; ms: number }])[0]);
    for (const child of this.children) child.send(seconds);
    const ran = await Promise.all(done);
    const sum = (figures: number[]) => figures.reduce((all, figure) => all + figure, 0);
    const operations = sum(ran.map((one) => one.operations));
    const rate = sum(ran.map((one) => one.operations / (one.ms / 1000)));
    this.microseconds = (this.cpu - before) / operations;
    return { operations, rate, figures: { all_us: this.microseconds } };
  }

  private get cpu(): number {
    return this.children.reduce((sum, { pid }) => sum + threadsCpuMicroseconds(pid!), 0);
  }

  async stop(): Promise<void> {
    const gone = this.children.map((child) => once(child, 'exit'));
    for (const child of this.children) child.disconnect();
    await Promise.all(gone);
  }
}
