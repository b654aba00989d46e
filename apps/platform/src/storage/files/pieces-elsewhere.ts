import { Refusal } from '@codase/contracts';

/** A piece as another region answers it; `piece` is null when there is none. */
interface AnsweredPiece {
  piece: Uint8Array | null;
  /** How many pieces the file has. */
  pieces: number;
}

/** Reads the pieces of a file in another region, one after the other. Refuses when the number of pieces changes meanwhile. */
export async function* piecesElsewhere<P extends AnsweredPiece>(
  first: P,
  ask: (position: number) => Promise<P>,
): AsyncIterable<Uint8Array> {
  for (let position = 1; position <= first.pieces; position++) {
    const { piece, pieces } = position === 1 ? first : await ask(position);
    if (piece === null || pieces !== first.pieces) throw new Refusal('service.unavailable');
    yield piece;
  }
}
