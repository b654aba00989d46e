import { OperatorFault } from '@codase/runtime/config';

/** Content of known length and digest. It can be read more than once, and gives the same bytes each time. */
export interface FileContent {
  bytes: number;
  /** Hex. */
  sha256: string;
  read(): AsyncIterable<Uint8Array>;
}

/** A range of bytes: `from` is included, `to` is not. */
export interface ByteRange {
  from: number;
  to: number;
}

/** A store for the contents of files, outside the database. A row of the database has the key of each file. */
interface FileStore {
  put(key: string, content: FileContent): Promise<void>;
  /**
   * Reads the whole content, or what there is of a range of its bytes. Throws `FileStoreFault` of the kind `missing` when there is no
   * content. A connection to the store is in use until the last byte is read, or the time for a download is over.
   */
  get(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** Does nothing when there is no content under the key. */
  delete(key: string): Promise<void>;
}

/** A store in which other programs may have left objects too. */
export interface ObjectStore extends FileStore {
  has(key: string): Promise<boolean>;
  /** Lists the next keys after `after`, in the order of their bytes. */
  list(prefix: string, after: string, most: number): Promise<{ keys: string[]; isLast: boolean }>;
  close(): Promise<void>;
}

/** `settings` is for an operator, `unreachable` may pass, `missing` and `corrupt` stay until an operator brings the object back. */
type FaultKind = 'settings' | 'unreachable' | 'missing' | 'corrupt';

/** A fault of a store. Its message is written by the platform, not by the store, and says what to correct: `/readyz` shows it. */
export class FileStoreFault extends OperatorFault {
  override readonly name = 'FileStoreFault';

  constructor(
    readonly kind: FaultKind,
    message: string,
  ) {
    super(message);
  }
}
