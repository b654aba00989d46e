import { part, PartCount, textAt, UnreadableImage } from './image-parts.ts';

const [EXTENSION, PICTURE, END] = [0x21, 0x2c, 0x3b];
const [CONTROL, TEXT, APPLICATION] = [0xf9, 0x01, 0xff];
/** The signature, the size, the flags and two numbers. */
const HEAD_BYTES = 13;
const FLAGS_AT = 10;
/** Applications whose extension says how the picture is shown: how often an animation is repeated, its colours. */
const SHOWN = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012'];

/** Leaves out comments, XMP and what else programs have added, and what follows the end of the picture. */
export function gifWithoutMetadata(image: Buffer): Buffer {
  let at = HEAD_BYTES + colourTableBytes(image, FLAGS_AT);
  const kept = [part(image, 0, at)];
  const parts = new PartCount();
  let hasPicture = false;
  while (image[at] !== END) {
    parts.next();
    const end = blockEnd(image, at);
    hasPicture ||= image[at] === PICTURE;
    if (isShown(image, at)) kept.push(image.subarray(at, end));
    at = end;
  }
  if (!hasPicture) throw new UnreadableImage();
  return Buffer.concat([...kept, Buffer.from([END])]);
}

/** The flags say whether a table of colours follows, and how many entries it has. */
function colourTableBytes(image: Buffer, flagsAt: number): number {
  const flags = image.readUInt8(flagsAt);
  return flags & 0x80 ? 6 << (flags & 0x07) : 0;
}

function blockEnd(image: Buffer, at: number): number {
  const kind = image.readUInt8(at);
  if (kind === 0) return at + 1; // some programs write a zero between two blocks
  if (kind === EXTENSION) return dataEnd(image, at + 2);
  if (kind === PICTURE) return dataEnd(image, at + 11 + colourTableBytes(image, at + 9));
  throw new UnreadableImage();
}

/** Returns where a row of data blocks ends: each begins with its length, and the last one is empty. */
function dataEnd(image: Buffer, from: number): number {
  let at = from;
  for (let length = image.readUInt8(at); length > 0; length = image.readUInt8(at)) at += 1 + length;
  return at + 1;
}

function isShown(image: Buffer, at: number): boolean {
  if (image[at] !== EXTENSION) return true;
  const label = image[at + 1];
  if (label === CONTROL || label === TEXT) return true;
  return label === APPLICATION && image[at + 2] === 11 && SHOWN.includes(textAt(image, at + 3, 11));
}
