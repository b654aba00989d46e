import { OperatorFault } from '@cds/runtime/config';

/** Content of known length and digest. It can be read more than once, and is the same bytes each time. */
export interface FileContent {
  bytes: number;
  /** Hex. */
  sha256: string;
  read(): AsyncIterable<Uint8Array>;
}

/** From the first byte up to one before the last. */
export interface ByteRange {
  from: number;
  to: number;
}

/** Where the contents of files rest beside the database. For each file a row says under which key. */
export interface FileStore {
  put(key: string, content: FileContent): Promise<void>;
  /** All of it, or some of its bytes. Throws `FileStoreFault` of the kind `missing` where there is none. */
  get(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** Nothing happens where there is none. */
  delete(key: string): Promise<void>;
}

/** A store that others may have left objects in. */
export interface ObjectStore extends FileStore {
  has(key: string): Promise<boolean>;
  /** The next keys in the order of their bytes. */
  list(prefix: string, after: string, most: number): Promise<{ keys: string[]; isLast: boolean }>;
  close(): Promise<void>;
}

/**
 * `settings` is what an operator has to mend. `unreachable` may be over in a moment. `missing` and `corrupt` concern one file, and stay
 * until an operator brings its object back.
 */
export type FaultKind = 'settings' | 'unreachable' | 'missing' | 'corrupt';

/** What a store could not do. The message is ours and says what to mend: it is shown by `/readyz`. */
export class FileStoreFault extends OperatorFault {
  override readonly name = 'FileStoreFault';

  constructor(
    readonly kind: FaultKind,
    message: string,
  ) {
    super(message);
  }
}
