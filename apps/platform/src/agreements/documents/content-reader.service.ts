import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { Files, PayloadReader } from '../../storage/files/index.ts';
import { DocumentContents } from './payloads.store.ts';

/** Reads the contents of documents of companies that live in this region. */
@Injectable()
export class ContentReader extends PayloadReader {
  constructor(@Inject(REGION_DB) db: DataSource, files: Files, contents: DocumentContents) {
    super(db, files, contents);
  }
}
