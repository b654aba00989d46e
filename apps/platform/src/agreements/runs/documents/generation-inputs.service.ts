import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { CryptoRefusal, openDecodedBox } from '@codase/crypto';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../../../kit/databases.ts';
import { ActBox } from '../../documents/index.ts';
import { Files, PayloadReader } from '../../../storage/files/index.ts';
import type { Reader } from '../present.ts';
import { RunContents, takeContent } from '../files/run-contents.store.ts';
import { listSources } from '../files/run-files.store.ts';
import type { LockedRun } from '../run-locks.service.ts';
import type { ArrivedFile } from '../files/run-uploads.service.ts';
import { listAnswers } from '../runs.store.ts';
import { checkGenerating, sourcesOf, mismatch } from './generating.ts';
import { listInputs, putInput, type UploadedInput } from './inputs.store.ts';
import { pdfIn } from './pdf-in-envelope.service.ts';
import type { SourcePdf } from './pdf-filler.service.ts';

/** PDFs of participants for one generation, encrypted under its one-time key, which comes later and is never stored. @spec D2-4.3 */
@Injectable()
export class GenerationInputs {
  private readonly reader: PayloadReader;

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly contents: RunContents,
    files: Files,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.reader = new PayloadReader(db, files, contents);
  }

  /** Adds an upload as the input for a source. The run is locked. */
  async add(tx: EntityManager, locked: LockedRun, by: Reader, source_key: string, uploaded: ArrivedFile): Promise<{ input: string }> {
    const leaf = checkGenerating({ ...locked, by });
    const { run_id, company_user_id } = locked.run;
    const { chars } = uploaded;
    const available = sourcesOf(leaf, await listAnswers(tx, run_id, by.user_id), await listSources(tx, run_id, by.user_id));
    if (!available.includes(source_key)) throw mismatch(`${source_key}: the run holds no such source for you at this leaf`);
    const input_id = uploaded.owner_id;
    const isTaken = await takeContent(tx, { ...uploaded, user_id: company_user_id, company_user_id, ask_at: null });
    if (!isTaken) throw new Refusal('service.unavailable');
    await putInput(tx, { input_id, company_user_id, run_id, user_id: by.user_id, source_key, chars, created_at: this.clock.now() });
    return { input: input_id };
  }

  /** Returns the inputs that a user has uploaded for a run. */
  list(run_id: string, user_id: string) {
    return listInputs(this.db, run_id, user_id);
  }

  /** Returns the PDF of an input. The input holds it in base64, twice: of the envelope, and of the box around it. @spec D2-4.3 */
  pdf(input: UploadedInput, otk: string): SourcePdf {
    return { bytes: Math.ceil((input.chars * 9) / 16), read: () => this.open(input, otk) };
  }

  /** Opens an input in memory, and returns its PDF there. */
  private async open({ input_id, chars }: UploadedInput, otk: string): Promise<Buffer> {
    const content = await this.contents.taken(this.db, input_id);
    if (!content) throw mismatch(`${input_id}: is not kept any more: upload it again`);
    const box = new ActBox(Math.ceil((chars * 3) / 4));
    for await (const base64 of await this.reader.read(content)) await box.write(base64);
    const decoded = (await box.end()) as Buffer<ArrayBuffer>;
    const opened = await openDecodedBox(otk, decoded).catch((error: unknown) => {
      throw error instanceof CryptoRefusal ? mismatch(`${input_id}: does not open with otk`) : error;
    });
    try {
      return pdfIn(Buffer.from(opened.buffer, opened.byteOffset, opened.byteLength));
    } catch (error) {
      opened.fill(0);
      throw error;
    }
  }
}
