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
import { clearBytes, newSealingKey, opened, openedRange, openedText, sealed } from './sealed-content.ts';
import { isContinuation, PIECE_BYTES } from '../text-pieces.ts';
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

  /** What was stored, as it comes; what is not what was stored breaks off at its end. Throws `FileStoreFault`. */
  async stream({ object_key, sealing_key, bytes }: StoredObject): Promise<AsyncIterable<Uint8Array>> {
    return opened({ object_key, sealing_key }, bytes, await this.configured().get(object_key));
  }

  /** A piece of a text, counted from 1; undefined behind the last. Its digest is not looked at. Throws `FileStoreFault`. */
  async piece({ object_key, sealing_key, bytes }: StoredObject, position: number): Promise<Buffer | undefined> {
    const from = (position - 1) * PIECE_BYTES;
    const to = Math.min(from + PIECE_BYTES + CHARACTER_BYTES, clearBytes(bytes));
    if (from >= to) return undefined;
    const chunks: Uint8Array[] = [];
    for await (const chunk of await this.configured().get(object_key, { from, to })) chunks.push(chunk);
    return wholeText(openedRange({ sealing_key }, from, Buffer.concat(chunks)));
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

/** The rest of a character that begins in a piece. */
const CHARACTER_BYTES = 3;

/** How many pieces a text has in the store. */
export const piecesIn = ({ bytes }: StoredObject): number => Math.max(1, Math.ceil(clearBytes(bytes) / PIECE_BYTES));

/** The characters that begin within a piece; what follows it is there for the last of them. */
function wholeText(bytes: Buffer): Buffer {
  let [start, end] = [0, Math.min(bytes.length, PIECE_BYTES)];
  while (start < end && isContinuation(bytes[start]!)) start++;
  while (end < bytes.length && isContinuation(bytes[end]!)) end++;
  return bytes.subarray(start, end);
}

/** How long an answer of the store counts: probes come more often. */
const CHECKED_MS = 3000;

/**
 * Whether the store takes requests. It is a note: the region goes on without it, new files wait in Postgres, and those in the store are out
 * of reach. The log says it too, once for each reason.
 */
export function storeAnswers(store: ObjectStore, log: Log): Check {
  let last: { at: number; finding: Promise<{ note: string } | null> } | undefined;
  let said: string | undefined;
  const look = async () => {
    const fault = await faultOf(store);
    if (fault && fault.message !== said) log.error('the object store cannot be used: files wait until it can', { error: fault });
    said = fault?.message;
    return fault ? { note: fault.message } : null;
  };
  return () => {
    if (!last || performance.now() - last.at > CHECKED_MS) last = { at: performance.now(), finding: look() };
    return last.finding;
  };
}

async function faultOf(store: ObjectStore): Promise<FileStoreFault | undefined> {
  try {
    await store.list('', '', 1);
    return undefined;
  } catch (error) {
    return error instanceof FileStoreFault ? error : new FileStoreFault('unreachable', 'the object store could not be asked');
  }
}
