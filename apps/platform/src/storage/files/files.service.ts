import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Check } from '@codase/runtime/service';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import { Refusal } from '@codase/contracts';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { HERE, type Here } from '../../foundation/regions/index.ts';
import { FileStoreFault, type ObjectStore } from './file-store.ts';
import { METRICS } from './metrics.ts';
import { newObjectKey, prefixOf } from './object-keys.ts';
import { clearBytes, newSealingKey, opened, openedRange, openedText, sealed } from './sealed-content.ts';
import { isContinuation, PIECE_BYTES } from '../../kit/text-pieces.ts';
import { beginUpload, markForDeletion, noteMissing, readStoreId, type ObjectOwner, type StoredObject } from './stored-objects.store.ts';

/** The object store of the region; null when none is configured. */
export const OBJECT_STORE = Symbol('object store');

/** An object that has been uploaded. It counts when the caller has noted so in a transaction (`endUpload`). */
interface Uploaded {
  object_key: string;
  bytes: number;
}

/** Writes and reads files in the object store. Each step is noted before and after: a crash loses no file and leaves no object. */
@Injectable()
export class Files implements OnApplicationShutdown {
  private prefix: string | undefined;

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly store: ObjectStore | null,
    @Inject(HERE) private readonly here: Here,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Seals a file and uploads it. Returns undefined when another replica uploads it. */
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

  /** Returns the text of a file. Throws `FileStoreFault`. */
  async read({ object_key, sealing_key, bytes }: StoredObject): Promise<string> {
    return openedText({ object_key, sealing_key }, bytes, await this.configured().get(object_key));
  }

  /** Streams the content, however slowly it is read. Fails at its end when it is not what was stored. Throws `FileStoreFault`. */
  async stream({ object_key, sealing_key, bytes }: StoredObject): Promise<AsyncIterable<Uint8Array>> {
    return opened({ object_key, sealing_key }, bytes, await inRanges(this.configured(), object_key, bytes));
  }

  /** Returns a piece of a text, counted from 1; undefined after the last one. Its digest is not checked. Throws `FileStoreFault`. */
  async piece({ object_key, sealing_key, bytes }: StoredObject, position: number): Promise<Buffer | undefined> {
    const from = (position - 1) * PIECE_BYTES;
    const to = Math.min(from + PIECE_BYTES + CHARACTER_BYTES, clearBytes(bytes));
    if (from >= to) return undefined;
    const chunks: Uint8Array[] = [];
    for await (const chunk of await this.configured().get(object_key, { from, to })) chunks.push(chunk);
    return wholeText(openedRange({ sealing_key }, from, Buffer.concat(chunks)));
  }

  /** Notes and logs why an object could not be read. Returns the same error. */
  async noted<E>(error: E, { object_key }: Pick<StoredObject, 'object_key'>): Promise<E> {
    if (!(error instanceof FileStoreFault)) return error;
    if (error.kind === 'missing' || error.kind === 'corrupt') await noteMissing(this.db, [object_key]);
    if (error.kind === 'corrupt') count(METRICS.filesCorrupt);
    this.log.error('an object could not be read', { error });
    return error;
  }

  /** Returns the refusal for a caller whose file cannot be read now. */
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

/** How much of an object one request reads, into memory for each reader: about as much as for a reader of pieces. */
const RANGE_BYTES = 512 * 1024;

/** Reads an object in ranges. Each is gathered before it is passed on: a slow reader holds no connection. The first is read at once. */
async function inRanges(store: ObjectStore, object_key: string, bytes: number): Promise<AsyncIterable<Uint8Array>> {
  const range = async (from: number) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of await store.get(object_key, { from, to: Math.min(from + RANGE_BYTES, bytes) })) chunks.push(chunk);
    return chunks;
  };
  let chunks = await range(0);
  return (async function* () {
    for (let next = RANGE_BYTES; ; next += RANGE_BYTES) {
      yield* chunks;
      if (next >= bytes) return;
      chunks = await range(next);
    }
  })();
}

/** The most bytes of a character that may lie after the piece in which it begins. */
const CHARACTER_BYTES = 3;

/** Returns how many pieces a text in the store has. */
export const piecesIn = ({ bytes }: StoredObject): number => Math.max(1, Math.ceil(clearBytes(bytes) / PIECE_BYTES));

/** Returns the characters that begin within the piece. The bytes after the piece serve only to complete the last character. */
function wholeText(bytes: Buffer): Buffer {
  let [start, end] = [0, Math.min(bytes.length, PIECE_BYTES)];
  while (start < end && isContinuation(bytes[start]!)) start++;
  while (end < bytes.length && isContinuation(bytes[end]!)) end++;
  return bytes.subarray(start, end);
}

/** How long the result of a check counts: probes of readiness come more often. */
const CHECKED_MS = 3000;

/**
 * Returns a readiness check that asks whether the store takes requests. A fault gives only a note, since the region goes on without the
 * store: new files wait in Postgres, and files in the store cannot be read. The fault is also logged, once for each reason.
 */
export function storeAnswers(store: ObjectStore, log: Log): Check {
  let last: { at: number; finding: Promise<{ note: string } | null> } | undefined;
  let said: string | undefined;
  const check = async () => {
    const fault = await faultOf(store);
    if (fault && fault.message !== said) log.error('the object store cannot be used: files wait until it can', { error: fault });
    said = fault?.message;
    return fault ? { note: fault.message } : null;
  };
  return () => {
    if (!last || performance.now() - last.at > CHECKED_MS) last = { at: performance.now(), finding: check() };
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

/** How files are stored in this region. */
export interface FileSettings {
  /** The store where files rest; files in the other store are moved there. */
  store: 'postgres' | 's3';
  /** How many days an object stays in the store after its file is gone. */
  deleteAfterDays: number;
}
export const FILE_SETTINGS = Symbol('settings of files');
