import { startsWith } from './image-parts.ts';

/** How a picture has to be turned before it is shown, as Exif counts it: 1 is upright. */
type Orientation = 2 | 3 | 4 | 5 | 6 | 7 | 8;

const ORIENTATION_TAG = 0x0112;
const SHORT = 3;
const [HEADER_BYTES, ENTRY_BYTES] = [8, 12];
/** What stands before the TIFF of an Exif block, in some kinds of images. */
export const EXIF_PREFIX = 'Exif\0\0';

/** Finds the orientation in an Exif block, which is a TIFF; undefined when it is upright, or nothing says how it is. */
export function orientationOf(exif: Buffer): Orientation | undefined {
  const tiff = startsWith(exif, EXIF_PREFIX) ? exif.subarray(EXIF_PREFIX.length) : exif;
  const isLittle = startsWith(tiff, 'II*\0');
  if (tiff.length < HEADER_BYTES || (!isLittle && !startsWith(tiff, 'MM\0*'))) return undefined;
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (start + 2 > tiff.length) return undefined;
  const end = Math.min(start + 2 + short(start) * ENTRY_BYTES, tiff.length);
  for (let at = start + 2; at + ENTRY_BYTES <= end; at += ENTRY_BYTES) {
    if (short(at) !== ORIENTATION_TAG) continue;
    const value = short(at + 8);
    return short(at + 2) === SHORT && value >= 2 && value <= 8 ? (value as Orientation) : undefined;
  }
  return undefined;
}

/** Returns an Exif block, without its prefix, that says the orientation and nothing else. */
export function exifWith(orientation: Orientation): Buffer {
  const tiff = Buffer.alloc(HEADER_BYTES + 2 + ENTRY_BYTES + 4);
  tiff.write('MM\0*', 'latin1');
  tiff.writeUInt32BE(HEADER_BYTES, 4);
  tiff.writeUInt16BE(1, HEADER_BYTES);
  const entry = HEADER_BYTES + 2;
  tiff.writeUInt16BE(ORIENTATION_TAG, entry);
  tiff.writeUInt16BE(SHORT, entry + 2);
  tiff.writeUInt32BE(1, entry + 4);
  tiff.writeUInt16BE(orientation, entry + 8);
  return tiff;
}
