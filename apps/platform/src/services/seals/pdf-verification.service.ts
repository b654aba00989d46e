import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createHash, X509Certificate } from 'node:crypto';
import { Refusal, type SealVerification } from '@codase/contracts';
import { PdfProcesses, PdfProcessesBusy, PdfRefusal, type Verification } from '@codase/pdf';
import { addressKey } from '@codase/runtime/http';
import { FairSemaphore } from '@codase/runtime/resilience';
import { count } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { listKnownCertificates } from './certificates.store.ts';
import { METRICS } from './metrics.ts';

/** As many PDFs at once as there are processes, and one at a time for one address: a PDF that takes long keeps no other address waiting. */
const TURNS = { total: 2, each: 1, queuedEach: 3, waitMs: 10_000 };
/** Limits for one PDF. A seal is found in far less time and memory; a PDF that needs more counts as unreadable. */
const LIMITS = { timeoutMs: 8000, memoryBytes: 256 * 1024 * 1024, heapBytes: 128 * 1024 * 1024 };

/** Verifies for anybody whether a region of this platform sealed a PDF. Nothing of the PDF is kept or logged. @spec D1-2.12.5 */
@Injectable()
export class PdfVerification implements OnApplicationShutdown {
  private readonly processes = new PdfProcesses({ size: TURNS.total, ...LIMITS });
  private readonly turns = new FairSemaphore(TURNS, () => new Refusal('service.overloaded'));

  constructor(@Inject(FRONT_DOOR_DB) private readonly db: DataSource) {}

  async verify(address: string, pdf: Uint8Array): Promise<SealVerification> {
    if (pdf.length === 0) throw new Refusal('request.invalid').because('file: choose a PDF that has bytes');
    const known = await listKnownCertificates(this.db);
    const certificates = known.map(({ certificate_pem }) => new X509Certificate(certificate_pem));
    const bytes = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
    const found = await this.turns.run(addressKey(address), () => this.processes.verify(bytes, { certificates })).catch(unreadable(bytes));
    count(METRICS.verified, { 'codase.outcome': found.verdict });
    return readable(found);
  }

  onApplicationShutdown(): void {
    this.processes.stop();
  }
}

/** Returns a handler of errors that makes a verdict of a refused PDF: the reason why its process was killed is a finding about the PDF. */
const unreadable =
  (pdf: Buffer) =>
  (error: unknown): Verification => {
    if (error instanceof PdfProcessesBusy) throw new Refusal('service.overloaded');
    if (!(error instanceof PdfRefusal)) throw error;
    const sha256 = createHash('sha256').update(pdf).digest('hex');
    return { verdict: 'unreadable', reason: error.reason, bytes: pdf.length, sha256, signatures: [] };
  };

/** Replaces characters in a text from a stranger's file that are invisible, or that change the order of the characters around them. */
const readableText = (text: string): string => text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');

/** Applies `readableText` to every text in a structure. */
function readable<T>(value: T): T {
  if (typeof value === 'string') return readableText(value) as T;
  if (Array.isArray(value)) return value.map(readable) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, readable(member)])) as T;
}
