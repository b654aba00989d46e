import type { TagValues } from './fill/fill.ts';
import type { PdfLimits } from './limits.ts';
import { PDF_PROCESS_LIMITS, PdfProcess, PdfProcessesBusy, type PdfProcessLimits } from './pdf-process.ts';
import type { PdfJob } from './pdf-process-messages.ts';
import type { PreparedSeal } from './prepare-seal.ts';
import { signatureBytes, signPrepared, type SealOptions } from './seal.ts';
import type { SignaturesPage } from './signatures-page/acts.ts';
import type { Verification, VerifyOptions } from './verify.ts';

export interface PdfProcessesOptions extends Partial<PdfProcessLimits> {
  /** The greatest number of processes. */
  size?: number;
  /** How many jobs may wait for a free process. */
  maxWaiting?: number;
  /** The built program, when it is not beside this file. */
  entry?: URL;
}

export { PdfProcessesBusy };

/** Fills, seals and verifies PDFs of unknown origin in separate processes, which can be killed without harm. */
export class PdfProcesses {
  readonly #idle: PdfProcess[];
  readonly #all: readonly PdfProcess[];
  readonly #waiting: ((process: PdfProcess) => void)[] = [];
  readonly #maxWaiting: number;

  constructor({ size = 2, maxWaiting = 64, entry, ...limits }: PdfProcessesOptions = {}) {
    this.#all = Array.from({ length: size }, () => new PdfProcess({ ...PDF_PROCESS_LIMITS, ...limits }, entry));
    this.#idle = [...this.#all];
    this.#maxWaiting = maxWaiting;
  }

  /** Appends the Signatures page, when one is given, and seals. The child prepares the file and never gets the key. */
  async seal(pdf: Buffer, options: SealOptions & { signaturesPage?: SignaturesPage }): Promise<Buffer> {
    const { reason, signer, time, signedLength, limits, signaturesPage } = options;
    const words = { reason, signer, time, signedLength, limits, signatureBytes: signatureBytes(options) };
    const { update, gap } = (await this.#run({ kind: 'prepare', pdf, options: words, signaturesPage })) as PreparedSeal;
    return signPrepared(pdf, { update, gap }, options);
  }

  async verify(pdf: Buffer, { certificates = [], limits = {} }: VerifyOptions = {}): Promise<Verification> {
    return (await this.#run({ kind: 'verify', pdf, certificates: certificates.map(({ raw }) => raw), limits })) as Verification;
  }

  /** Returns the value tags on the pages of a PDF. */
  async findTags(pdf: Buffer): Promise<string[]> {
    return (await this.#run({ kind: 'tags', pdf })) as string[];
  }

  /** Returns the PDF with its tags replaced; those without a value print empty. `filledBytes` bounds the result. @spec D2-4.3.6 */
  async fill(pdf: Buffer, values: TagValues, limits: Partial<PdfLimits> = {}): Promise<Buffer> {
    const known = values instanceof Map ? values : new Map(Object.entries(values));
    const { buffer, byteOffset, byteLength } = (await this.#run({ kind: 'fill', pdf, values: known, limits })) as Uint8Array;
    return Buffer.from(buffer, byteOffset, byteLength);
  }

  /** Ends the processes for good. Jobs that are under way or waiting fail. */
  stop(): void {
    for (const process of this.#all) process.stop();
  }

  /** The ids of the processes that run now. */
  get pids(): number[] {
    return this.#all.flatMap(({ pid }) => pid ?? []);
  }

  async #run(job: PdfJob) {
    const process = this.#idle.pop() ?? (await this.#next());
    try {
      return await process.run(job);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(process);
      else this.#idle.push(process);
    }
  }

  #next(): Promise<PdfProcess> {
    if (this.#waiting.length >= this.#maxWaiting) throw new PdfProcessesBusy('Too many PDFs wait to be read: try again later.');
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
