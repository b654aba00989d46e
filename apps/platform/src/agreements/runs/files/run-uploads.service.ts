import { Inject, Injectable } from '@nestjs/common';
import { customerRuns, ownerRuns, Refusal, runs, UPLOAD_CHARS, type Endpoint, type PlainKey } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { BodySink, StreamedString } from '@codase/runtime/http';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../../kit/databases.ts';
import { PayloadUpload, type StreamedBody, type Upload, type UploadedPayload } from '../../../storage/files/index.ts';
import { newId } from '../../../kit/ids.ts';
import { Home } from '../../../foundation/regions/index.ts';
import { userOf, type KnownCaller } from '../../../access/tokens/index.ts';
import { addContent, RunContents } from './run-contents.store.ts';

/** A sealed file that is already stored, and to which nothing refers yet. */
export interface UploadedFile extends UploadedPayload {
  served_sha256: string;
  chars: number;
}

/** The part of an uploaded file that is also known when it came in at another region. */
export type ArrivedFile = Pick<UploadedFile, 'owner_id' | 'piece_key' | 'served_sha256' | 'chars'>;

/** Uploads of files of runs. A file belongs to the user who sends it until a run takes it. @spec D2-4.1 @spec D2-4.2 */
@Injectable()
export class RunUploads implements StreamedBody {
  readonly takes: readonly Endpoint[] = [
    runs.stageRunFile,
    ownerRuns.stageOwnRunFile,
    runs.uploadAnswerFile,
    ownerRuns.uploadOwnAnswerFile,
    customerRuns.uploadCustomerAnswerFile,
    runs.uploadGenerationInput,
    ownerRuns.uploadOwnGenerationInput,
    customerRuns.uploadCustomerGenerationInput,
  ];

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly contents: RunContents,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @spec D2-7 @spec D2-8 */
  open(contract: Endpoint, caller: unknown): BodySink {
    return new CountedUpload(this.begin(userOf(caller as KnownCaller)), contract.tooLarge!);
  }

  /** Does the work with an uploaded file. Deletes the file when the work fails. */
  async with<T>(
    { user_id, value, streamed }: { user_id: string; value: string; streamed: StreamedString | undefined },
    work: (uploaded: UploadedFile) => Promise<T>,
  ): Promise<T> {
    const uploaded = await this.uploaded(user_id, value, streamed);
    try {
      return await work(uploaded);
    } catch (error) {
      await this.abandon(uploaded);
      throw error;
    }
  }

  /** Stores another copy of a sealed file, to which nothing refers. */
  copy(user_id: string, chunks: AsyncIterable<Uint8Array>): Promise<UploadedPayload> {
    return this.begin(user_id, { isSealed: true }).store(chunks);
  }

  async abandon({ owner_id }: Pick<UploadedFile, 'owner_id'>): Promise<void> {
    await this.contents.removeWaiting(this.db, owner_id);
  }

  /**
   * Returns the file that was stored while the body arrived, or stores it now. A streamed string has a short placeholder in the body: the
   * member of the file must be that placeholder, so that nothing else was streamed.
   */
  private async uploaded(user_id: string, value: string, streamed: StreamedString | undefined): Promise<UploadedFile> {
    if (!streamed) return { ...sealed(await this.begin(user_id).store([Buffer.from(value)])), chars: value.length };
    const uploaded = streamed.taken as UploadedFile;
    if (streamed.shortened === value) return uploaded;
    await this.abandon(uploaded);
    throw new Refusal('request.invalid').because('body: only the file may be long, and its member must be there once');
  }

  private begin(user_id: string, options: Pick<Upload, 'isSealed'> = {}): PayloadUpload {
    const [file, now] = [{ owner_id: newId('file'), company_user_id: user_id }, this.clock.now()];
    return new PayloadUpload(this.db, this.home, this.contents, { file, addRow: (tx) => addContent(tx, file, user_id, now), ...options });
  }
}

/** A sealed payload is answered as it came, so the digest of its answer is always known. */
const sealed = (payload: UploadedPayload) => ({ ...payload, served_sha256: payload.served_sha256! });

/** Limits the length of a streamed file, which cannot be seen from the short placeholder in the body. @spec D2-8 */
class CountedUpload implements BodySink {
  private chars = 0;

  constructor(
    private readonly upload: PayloadUpload,
    private readonly tooLong: PlainKey,
  ) {}

  async write(bytes: Uint8Array): Promise<void> {
    this.chars += bytes.length;
    if (this.chars > UPLOAD_CHARS) throw new Refusal(this.tooLong);
    await this.upload.write(bytes);
  }

  async end(): Promise<UploadedFile> {
    return { ...sealed(await this.upload.end()), chars: this.chars };
  }

  abandon(): Promise<void> {
    return this.upload.abandon();
  }
}
