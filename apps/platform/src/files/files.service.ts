import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Check } from '@cds/runtime/service';
import { count, LOG, type Log } from '@cds/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { Refusal } from '@cds/contracts';
import { REGION_DB } from '../databases.ts';
import { HERE, type Here } from '../regions/index.ts';
import { FileStoreFault, type ObjectStore } from './file-store.ts';
import { METRICS } from './metrics.ts';
import { newObjectKey, prefixOf } from './object-keys.ts';
import { newSealingKey, openedText, sealed } from './sealed-content.ts';
import { beginUpload, markForDeletion, noteMissing, readStoreId, type ObjectOwner, type StoredObject } from './stored-objects.store.ts';

/** The object store of the region; null where none is configured. */
export const OBJECT_STORE = Symbol('object store');

/** An object that has been uploaded. Whoever asked for it says in a transaction that it counts (`endUpload`). */
export interface Uploaded {
  object_key: string;
  bytes: number;
}

/** Files in the object store: what is written down before and after each step, so that neither side's death loses or leaves anything. */
@Injectable()
export class Files implements OnApplicationShutdown {
  private prefix: string | undefined;

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly store: ObjectStore | null,
    @Inject(HERE) private readonly here: Here,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Uploads a file, sealed. Undefined where another replica does. */
  async upload(owner: ObjectOwner, clear: () => AsyncIterable<Uint8Array>): Promise<Uploaded | undefined> {
    const store = this.configured();
    const object_key = newObjectKey(await this.keyPrefix(), owner.company_user_id);
    const seal = { object_key, sealing_key: newSealingKey() };
    if (!(await beginUpload(this.db, owner, seal))) return undefined;
    try {
      const content = await sealed(seal, clear);
      await store.put(object_key, content);
      return { object_key, bytes: content.bytes };
    } catch (error) {
      await markForDeletion(this.db, object_key);
      throw error;
    }
  }

  /** The text of a file. Throws `FileStoreFault`. */
  async read({ object_key, sealing_key, bytes }: StoredObject): Promise<string> {
    return openedText({ object_key, sealing_key }, bytes, await this.configured().get(object_key));
  }

  /** Notes and logs why an object could not be read; answers the error. */
  async noted<E>(error: E, { object_key }: Pick<StoredObject, 'object_key'>): Promise<E> {
    if (!(error instanceof FileStoreFault)) return error;
    if (error.kind === 'missing' || error.kind === 'corrupt') await noteMissing(this.db, [object_key]);
    if (error.kind === 'corrupt') count(METRICS.filesCorrupt);
    this.log.error('an object could not be read', { error });
    return error;
  }

  /** What a caller gets who asked for a file that cannot be read now. */
  refusal(error: unknown): unknown {
    if (!(error instanceof FileStoreFault)) return error;
    return new Refusal('service.unavailable').because('The file cannot be read from where it is stored');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store?.close();
  }

  async keyPrefix(): Promise<string> {
    if (this.here.base !== 'region') throw new Error('files are stored in regions');
    return (this.prefix ??= prefixOf(this.here.region, await readStoreId(this.db)));
  }

  private configured(): ObjectStore {
    if (this.store) return this.store;
    throw new FileStoreFault(
      'settings',
      'files rest in an object store that is not configured: set S3_ENDPOINT and the settings beside it',
    );
  }
}

/** How long an answer of the store counts: probes come more often. */
const CHECKED_MS = 10_000;

/**
 * Whether the store takes requests. It is a note: the region goes on without it, new files wait in Postgres, and those in the store are out
 * of reach.
 */
export function storeAnswers(store: ObjectStore): Check {
  let last: { at: number; finding: Promise<{ note: string } | null> } | undefined;
  return () => {
    if (!last || performance.now() - last.at > CHECKED_MS) last = { at: performance.now(), finding: look(store) };
    return last.finding;
  };
}

async function look(store: ObjectStore): Promise<{ note: string } | null> {
  try {
    await store.list('', '', 1);
    return null;
  } catch (error) {
    return { note: error instanceof FileStoreFault ? error.message : 'the object store could not be asked' };
  }
}
