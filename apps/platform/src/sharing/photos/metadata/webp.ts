import { checkSize, part, PartCount, textAt, UnreadableImage } from './image-parts.ts';
import { exifWith, orientationOf } from './orientation.ts';

/** `RIFF`, the length of what follows, `WEBP`. */
const HEAD_BYTES = 12;
const CHUNK_HEAD = 8;
/** The flags of the chunk VP8X. */
const [HAS_EXIF, HAS_XMP] = [0x08, 0x04];
const PICTURES = ['VP8 ', 'VP8L', 'ANMF'];

/** The chunks that say how the picture is shown. */
const SHOWN: ReadonlySet<string> = new Set([...PICTURES, 'VP8X', 'ALPH', 'ANIM', 'ICCP']);

/** Leaves out what does not show the picture, and what follows its end. */
export function webpWithoutMetadata(given: Buffer): Buffer {
  const image = part(given, 0, CHUNK_HEAD + given.readUInt32LE(4));
  const kept: Buffer[] = [];
  const parts = new PartCount();
  let extended: Buffer | undefined;
  let orientation: ReturnType<typeof orientationOf>;
  let hasPicture = false;
  for (let at = HEAD_BYTES; at + CHUNK_HEAD <= image.length;) {
    parts.next();
    const type = textAt(image, at, 4);
    const chunk = part(image, at, at + CHUNK_HEAD + image.readUInt32LE(at + 4));
    if (type === 'EXIF') orientation ??= orientationOf(chunk.subarray(CHUNK_HEAD));
    checkSizeIn(type, chunk.subarray(CHUNK_HEAD));
    hasPicture ||= PICTURES.includes(type);
    if (type === 'VP8X') kept.push((extended = Buffer.from(chunk)));
    else if (SHOWN.has(type)) kept.push(chunk);
    if (SHOWN.has(type) && chunk.length % 2 === 1) kept.push(Buffer.alloc(1));
    at += chunk.length + (chunk.length % 2);
  }
  if (!hasPicture) throw new UnreadableImage();
  if (extended && orientation !== undefined) kept.push(chunkOf('EXIF', exifWith(orientation)));
  if (extended) setFlags(extended, orientation === undefined ? 0 : HAS_EXIF);
  return riffOf(kept);
}

/** Checks the size that a chunk says: that of a lossy, of a lossless or of an extended image. */
function checkSizeIn(type: string, content: Buffer): void {
  if (type === 'VP8X') return checkSize(content.readUIntLE(4, 3) + 1, content.readUIntLE(7, 3) + 1);
  if (type === 'VP8 ') return checkSize(content.readUInt16LE(6) & 0x3fff, content.readUInt16LE(8) & 0x3fff);
  if (type !== 'VP8L') return;
  const sides = content.readUInt32LE(1);
  checkSize((sides & 0x3fff) + 1, ((sides >>> 14) & 0x3fff) + 1);
}

function setFlags(extended: Buffer, exif: number): void {
  part(extended, 0, CHUNK_HEAD + 1);
  extended[CHUNK_HEAD] = (extended[CHUNK_HEAD]! & ~(HAS_EXIF | HAS_XMP)) | exif;
}

/** The content has an even length, so nothing follows it. */
function chunkOf(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(CHUNK_HEAD);
  head.write(type, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}

function riffOf(chunks: readonly Buffer[]): Buffer {
  const image = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'), ...chunks]);
  image.writeUInt32LE(image.length - CHUNK_HEAD, 4);
  return image;
}
