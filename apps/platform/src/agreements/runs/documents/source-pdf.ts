/** A PDF that is read once there is memory for it. */
export interface SourcePdf {
  /** The most bytes that it has. */
  bytes: number;
  read(): Promise<Buffer>;
}

/**
 * The memory of a PDF that is filled, for each of its bytes: the base64 that it is decoded from, what is sent to the process that fills it,
 * and what comes back.
 */
const MEMORY = 4 / 3 + 2;

/** Returns how much memory the filling of a PDF takes. */
export const memoryOf = ({ bytes }: SourcePdf): number => Math.ceil(bytes * MEMORY);
