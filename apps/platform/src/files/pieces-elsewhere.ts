import { Refusal } from '@cds/contracts';

/** A piece as another region answers it; null where there is none. */
export interface AnsweredPiece {
  piece: Uint8Array | null;
  /** How many there are. */
  pieces: number;
}

/** The pieces of a file in another region, one after the other. What has another number of pieces by now breaks off. */
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
