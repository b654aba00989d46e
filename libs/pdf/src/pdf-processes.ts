import { PDF_PROCESS_LIMITS, PdfProcess, type PdfProcessLimits } from './pdf-process.ts';
import type { PdfJob } from './pdf-process-messages.ts';
import type { PreparedSeal } from './prepare-seal.ts';
import { signatureBytes, signPrepared, type SealOptions } from './seal.ts';
import type { SignaturesPage } from './signatures-page/acts.ts';
import type { Verification, VerifyOptions } from './verify.ts';

export interface PdfProcessesOptions extends Partial<PdfProcessLimits> {
  /** How many processes there are at most. */
  size?: number;
  /** How many jobs may wait for one. */
  maxWaiting?: number;
  /** The built program, where it is not beside this file. */
  entry?: URL;
}

/** So many jobs wait already that one more would only be late. */
export class PdfProcessesBusy extends Error {
  override readonly name = 'PdfProcessesBusy';
}

/** Seals and verifies PDFs of strangers in processes of their own, which can be killed without harm. */
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

  /** Appends the Signatures page, where there is one, and seals. The process does not get the key: it prepares, and we sign. */
  async seal(pdf: Buffer, options: SealOptions & { signaturesPage?: SignaturesPage }): Promise<Buffer> {
    const { reason, signer, time, signedLength, limits, signaturesPage } = options;
    const words = { reason, signer, time, signedLength, limits, signatureBytes: signatureBytes(options) };
    const { update, gap } = (await this.#run({ kind: 'prepare', pdf, options: words, signaturesPage })) as PreparedSeal;
    return signPrepared(pdf, { update, gap }, options);
  }

  async verify(pdf: Buffer, { certificates = [], limits = {} }: VerifyOptions = {}): Promise<Verification> {
    return (await this.#run({ kind: 'verify', pdf, certificates: certificates.map(({ raw }) => raw), limits })) as Verification;
  }

  /** The value tags that stand on its pages. */
  async findTags(pdf: Buffer): Promise<string[]> {
    return (await this.#run({ kind: 'tags', pdf })) as string[];
  }

  /** Ends the processes for good; jobs that are under way or wait fail. */
  stop(): void {
    for (const process of this.#all) process.stop();
  }

  /** The processes that run now. */
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
