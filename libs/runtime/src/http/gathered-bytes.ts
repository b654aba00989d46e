/** The first block is short, because most bodies are; a later one is as long as all bytes so far, up to the longest. */
const [SHORTEST_BLOCK, LONGEST_BLOCK] = [2 * 1024, 64 * 1024];
/** From how many bytes on a piece is kept as it is: it makes up at least half of the memory that Node reads into at once. */
const LONG_PIECE = LONGEST_BLOCK / 2;

/**
 * Bytes that come piece by piece. A Buffer takes 200 bytes of memory beside its content, and keeps alive all memory that it is a part of.
 * So short pieces are copied into blocks: whoever sends a million pieces of one byte makes the process hold one megabyte. A long piece is
 * kept as it is, so the caller must not write into it afterwards.
 */
export class GatheredBytes {
  private readonly parts: Buffer[] = [];
  /** The block that short pieces are copied into; its first `used` bytes do not belong to the parts yet. */
  private block: Buffer = Buffer.alloc(0);
  private used = 0;
  private bytes = 0;

  /** How many bytes came. */
  get length(): number {
    return this.bytes;
  }

  add(piece: Buffer): void {
    this.bytes += piece.length;
    if (piece.length >= LONG_PIECE) {
      this.endPart();
      this.parts.push(piece);
      return;
    }
    const fitting = piece.copy(this.block, this.used);
    this.used += fitting;
    if (fitting === piece.length) return;
    this.endPart();
    this.block = Buffer.allocUnsafeSlow(Math.min(Math.max(this.bytes, SHORTEST_BLOCK), LONGEST_BLOCK));
    this.used = piece.copy(this.block, 0, fitting);
  }

  /** Returns all bytes so far in one piece, without a copy where they lie in one piece already. */
  whole(): Buffer {
    const parts = [...this.parts, this.block.subarray(0, this.used)].filter(({ length }) => length > 0);
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts, this.bytes);
  }

  /** Makes what was copied into the block a part; the rest of the block takes the next short pieces. */
  private endPart(): void {
    if (this.used === 0) return;
    this.parts.push(this.block.subarray(0, this.used));
    this.block = this.block.subarray(this.used);
    this.used = 0;
  }
}
