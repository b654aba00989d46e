/** The structure of an image cannot be followed, so nobody can say what is in it. */
export class UnreadableImage extends Error {
  override readonly name = 'UnreadableImage';
}

/** The most parts of an image: far more than a picture of the permitted length needs, and few enough to look at each at once. */
const MAX_PARTS = 20_000;

/** Counts the parts of an image. */
export class PartCount {
  private left = MAX_PARTS;

  /** Throws when there are too many. */
  next(): void {
    if (--this.left < 0) throw new UnreadableImage();
  }
}

/** Returns the bytes between two positions. Throws when the image ends before. */
export function part(image: Buffer, from: number, to: number): Buffer {
  if (from < 0 || to < from || to > image.length) throw new UnreadableImage();
  return image.subarray(from, to);
}

/** Returns the text of some bytes, one character for each. */
export const textAt = (image: Buffer, from: number, length: number): string => part(image, from, from + length).toString('latin1');

export const startsWith = (bytes: Buffer, text: string): boolean => bytes.toString('latin1', 0, text.length) === text;
