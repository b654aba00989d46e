import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../databases.ts';
import { Files } from '../files/index.ts';
import { findFile, type HeldFile } from './values.store.ts';

/** A binary answer whose content is there. */
export type ReadFile = Pick<HeldFile, 'type' | 'source_private'> & { content: string };

/** The contents of binary answers, wherever they rest. @spec D1-2.8 */
@Injectable()
export class FileContents {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly files: Files,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async read(connection_id: string, service_field_id: string): Promise<ReadFile> {
    const file = await this.find(connection_id, service_field_id);
    if (file.content !== null) return { ...file, content: file.content };
    const { object } = file;
    if (!object) throw new Refusal('company_data.file_not_found');
    try {
      return { ...file, content: await this.files.read(object) };
    } catch (error) {
      // It may have been replaced or brought back between the two reads.
      const next = await this.find(connection_id, service_field_id);
      if (next.content !== null) return { ...next, content: next.content };
      if (next.object && next.object.object_key !== object.object_key) return { ...next, content: await this.refusable(next.object) };
      throw this.files.refusal(await this.files.noted(error, object));
    }
  }

  private refusable(object: Parameters<Files['read']>[0]): Promise<string> {
    return this.files.read(object).catch(async (error: unknown) => {
      throw this.files.refusal(await this.files.noted(error, object));
    });
  }

  private async find(connection_id: string, service_field_id: string): Promise<HeldFile> {
    const now = this.clock.now();
    const file = await findFile(this.db, connection_id, service_field_id, now);
    if (!file) throw new Refusal('company_data.file_not_found');
    const { file_sha256: digest, expires_at } = file;
    if (expires_at && expires_at <= now) throw new Refusal('company_data.file_expired', { digest, expired_at: expires_at.toISOString() });
    return file;
  }
}
