import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { Files, PayloadReader } from '../../storage/files/index.ts';
import { PhotoContents } from './photos.store.ts';

/** Reads the bytes of photos of users who are at home in this region. */
@Injectable()
export class PhotoReader extends PayloadReader {
  constructor(@Inject(REGION_DB) db: DataSource, files: Files, contents: PhotoContents) {
    super(db, files, contents);
  }
}
