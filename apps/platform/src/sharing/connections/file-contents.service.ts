import { Inject, Injectable } from '@nestjs/common';
import { PIECE_CHARS, Refusal } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { DataSource } from 'typeorm';
import { readInMemory } from '../../kit/answer-memory.service.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { Files, gatherText, PayloadReader } from '../../storage/files/index.ts';
import { SharedFiles } from './shared-files.store.ts';
import { findFile, type SharedFile } from './values.store.ts';

/** A binary answer and its content. */
type ReadFile = Pick<SharedFile, 'type' | 'source_private'> & { content: string };

/** Reads the contents of binary answers, whether they are in the database or in the object store. @spec D1-2.8 */
@Injectable()
export class FileContents {
  private readonly reader: PayloadReader;

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    files: Files,
    shared: SharedFiles,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.reader = new PayloadReader(db, files, shared);
  }

  /** Reads the file for the company that fetches it. */
  async read(company_user_id: string, connection_id: string, service_field_id: string): Promise<ReadFile> {
    const file = await this.find(connection_id, service_field_id);
    try {
      return { ...file, content: await this.text(company_user_id, file) };
    } catch (error) {
      const next = await this.find(connection_id, service_field_id);
      if (next.owner_id === file.owner_id) throw error;
      return { ...next, content: await this.text(company_user_id, next) }; // the customer replaced the answer while it was read
    }
  }

  private async text(company_user_id: string, file: SharedFile): Promise<string> {
    if (!file.object && file.pieces === 0) throw new Refusal('company_data.file_not_found');
    const bytes = file.object?.bytes ?? file.pieces * PIECE_CHARS;
    return readInMemory(company_user_id, bytes, async () => gatherText(await this.reader.read(file)));
  }

  private async find(connection_id: string, service_field_id: string): Promise<SharedFile> {
    const now = this.clock.now();
    const file = await findFile(this.db, connection_id, service_field_id);
    if (!file) throw new Refusal('company_data.file_not_found');
    const { file_sha256: digest, expires_at } = file;
    if (expires_at && expires_at <= now) throw new Refusal('company_data.file_expired', { digest, expired_at: expires_at.toISOString() });
    return file;
  }
}
