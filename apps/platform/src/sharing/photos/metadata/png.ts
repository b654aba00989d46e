import { crc32 } from 'node:zlib';
import { checkSize, part, PartCount, textAt, UnreadableImage } from './image-parts.ts';
import { exifWith, orientationOf } from './orientation.ts';

const SIGNATURE_BYTES = 8;
/** The length and the type before the content of a chunk, and the checksum behind it. */
const AROUND = 12;
/** The chunk that ends an image, which has no content. */
const END = Buffer.from('0000000049454e44ae426082', 'hex');

/** The chunks that say how the picture is shown; all others go, those of texts, times and programs among them. */
const SHOWN: ReadonlySet<string> = new Set(
  (
    'IHDR PLTE IDAT tRNS bKGD hIST pHYs sBIT ' + // the picture
    'gAMA cHRM sRGB iCCP cICP mDCV mDCv cLLI cLLi ' + // its colours
    'acTL fcTL fdAT'
  ) // its animation
    .split(' '),
);

/** Leaves out what does not show the picture, and what follows its end. */
export function pngWithoutMetadata(image: Buffer): Buffer {
  const kept = [image.subarray(0, SIGNATURE_BYTES)];
  const parts = new PartCount();
  if (textAt(image, SIGNATURE_BYTES + 4, 4) !== 'IHDR') throw new UnreadableImage();
  let hasPicture = false;
  for (let at = SIGNATURE_BYTES, type = ''; type !== 'IEND';) {
    parts.next();
    const length = image.readUInt32BE(at);
    type = textAt(image, at + 4, 4);
    const chunk = part(image, at, at + AROUND + length);
    hasPicture ||= type === 'IDAT';
    if (type === 'IHDR') checkSize(chunk.readUInt32BE(8), chunk.readUInt32BE(12));
    if (SHOWN.has(type)) kept.push(chunk);
    if (type === 'eXIf') kept.push(...orientationIn(chunk));
    at += chunk.length;
  }
  if (!hasPicture) throw new UnreadableImage();
  return Buffer.concat([...kept, END]);
}

function orientationIn(chunk: Buffer): Buffer[] {
  const orientation = orientationOf(chunk.subarray(8, -4));
  return orientation === undefined ? [] : [chunkOf('eXIf', exifWith(orientation))];
}

function chunkOf(type: string, content: Buffer): Buffer {
  const chunk = Buffer.alloc(AROUND + content.length);
  chunk.writeUInt32BE(content.length);
  chunk.write(type, 4, 'latin1');
  chunk.set(content, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), 8 + content.length);
  return chunk;
}
