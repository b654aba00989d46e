import { PHOTO_PIXELS } from '@codase/contracts';

/** The structure of an image cannot be followed, so nobody can say what is in it. */
export class UnreadableImage extends Error {
  override readonly name = 'UnreadableImage';
}

/** The header of an image says that it is larger than programs can show. A small file can say so: it would take all memory of a phone. */
export class TooManyPixels extends Error {
  override readonly name = 'TooManyPixels';

  constructor(width: number, height: number) {
    super(`the image has ${width} × ${height} pixels: a photo has at most ${PHOTO_PIXELS.side} on a side, and ${PHOTO_PIXELS.all} in all`);
  }
}

/** Throws when an image has no pixels, or too many. */
export function checkSize(width: number, height: number): void {
  if (width === 0 || height === 0) throw new UnreadableImage();
  if (width > PHOTO_PIXELS.side || height > PHOTO_PIXELS.side || width * height > PHOTO_PIXELS.all) throw new TooManyPixels(width, height);
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
