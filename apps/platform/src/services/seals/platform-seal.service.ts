import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { checkSealing, PdfProcesses, PdfRefusal, requestTimestamp, TimestampFault, type SignaturesPage } from '@codase/pdf';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { FairSemaphore } from '@codase/runtime/resilience';
import { count, timed } from '@codase/runtime/telemetry';
import { METRICS } from './metrics.ts';
import { SealIdentities } from './seal-identities.service.ts';
import { SEAL_SETTINGS, type SealSettings } from './seal-settings.service.ts';
import { SealingState } from './sealing-state.ts';

/**
 * As many PDFs at once as there are processes, and one at a time for one company: a PDF may take all of its time, and the PDFs of one
 * company keep no other company waiting. The wait is short enough that a caller who waited in vain still gets the refusal.
 */
const TURNS = { total: 2, each: 1, queuedEach: 16, waitMs: 8000 };

/** Seals PDFs in separate processes, because the PDFs come from strangers. Nothing of them is kept. @spec D1-2.12.5 */
@Injectable()
export class PlatformSeal implements OnApplicationShutdown {
  private readonly processes = new PdfProcesses({ size: TURNS.total });
  private readonly turns = new FairSemaphore(TURNS);

  constructor(
    private readonly identities: SealIdentities,
    @Inject(SEAL_SETTINGS) private readonly settings: SealSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly state: SealingState,
  ) {}

  /** Appends the Signatures page and seals the PDF for a company. Throws a `PdfRefusal` for a PDF that cannot be sealed. */
  async seal(company_user_id: string, pdf: Buffer, signaturesPage: SignaturesPage, time: Date): Promise<Buffer> {
    const startedAt = performance.now();
    const { name, timestampAuthority } = this.settings;
    const words = { reason: 'Signed or accepted by all parties', signer: name, time };
    try {
      const options = { ...(await this.identities.current()), ...words, timestampAuthority, signaturesPage };
      const sealed = await this.turns.run(company_user_id, () => this.processes.seal(pdf, options));
      this.state.timestampProblem = null;
      count(METRICS.made, { 'codase.outcome': 'made' });
      return sealed;
    } catch (error) {
      this.noteTimestamps(error);
      count(METRICS.made, { 'codase.outcome': error instanceof PdfRefusal ? 'refused' : 'failed' });
      throw error;
    } finally {
      timed(METRICS.duration, startedAt);
    }
  }

  /** Seals and verifies a test PDF, in a process that ends afterwards: many regions seal nothing for days, and the fonts take memory. */
  async check(): Promise<void> {
    const processes = new PdfProcesses({ size: 1 });
    try {
      const [identity, now] = [await this.identities.current(), this.clock.now()];
      this.state.noteEnd(new Date(identity.certificate.validTo), now);
      await checkSealing(processes, identity, now);
    } finally {
      processes.stop();
    }
  }

  /** Has the timestamp authority stamp a few random bytes, if one is configured. Returns false when it does not stamp. */
  async checkTimestamps(): Promise<boolean> {
    const { timestampAuthority } = this.settings;
    try {
      if (timestampAuthority) await requestTimestamp(randomBytes(32), timestampAuthority);
      this.state.timestampProblem = null;
      return true;
    } catch (error) {
      if (!this.noteTimestamps(error)) throw error;
      return false;
    }
  }

  private noteTimestamps(error: unknown): boolean {
    if (!(error instanceof TimestampFault)) return false;
    this.state.timestampProblem = `nothing can be signed: ${error.message}`;
    return true;
  }

  onApplicationShutdown(): void {
    this.processes.stop();
  }
}
