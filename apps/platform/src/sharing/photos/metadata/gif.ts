import { checkSize, part, PartCount, textAt, UnreadableImage } from './image-parts.ts';

const [EXTENSION, PICTURE, END] = [0x21, 0x2c, 0x3b];
const [CONTROL, TEXT, APPLICATION] = [0xf9, 0x01, 0xff];
/** The signature, the size, the flags and two numbers. */
const HEAD_BYTES = 13;
const FLAGS_AT = 10;
/** How long the data blocks of an extension are that says how a frame is shown, or how often an animation is repeated. */
const [CONTROL_BLOCKS, REPEAT_BLOCKS] = [[4], [11, 3]];
/** The applications whose extension says how often an animation is repeated, and the one whose extension says its colours. */
const [REPEATS, COLOURS] = [['NETSCAPE2.0', 'ANIMEXTS1.0'], 'ICCRGBG1012'];

/** Leaves out comments, XMP and what else programs have added, and what follows the end of the picture. */
export function gifWithoutMetadata(image: Buffer): Buffer {
  let at = HEAD_BYTES + colourTableBytes(image, FLAGS_AT);
  const kept = [part(image, 0, at)];
  checkSize(image.readUInt16LE(6), image.readUInt16LE(8));
  const parts = new PartCount();
  let hasPicture = false;
  while (image[at] !== END) {
    parts.next();
    const end = blockEnd(image, at);
    hasPicture ||= image[at] === PICTURE;
    kept.push(...keptOf(image, at, end));
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

/** Returns what is kept of a block: of an extension only what says how the picture is shown. */
function keptOf(image: Buffer, at: number, end: number): Buffer[] {
  const block = image.subarray(at, end);
  if (block[0] !== EXTENSION || block[1] === TEXT) return [block];
  if (block[1] === CONTROL) return firstBlocks(block, CONTROL_BLOCKS);
  const name = block[1] === APPLICATION && block[2] === 11 ? textAt(block, 3, 11) : '';
  if (REPEATS.includes(name)) return firstBlocks(block, REPEAT_BLOCKS);
  return name === COLOURS ? [block] : [];
}

/** Returns an extension with its first data blocks alone; nothing, when these have other lengths. */
function firstBlocks(extension: Buffer, lengths: readonly number[]): Buffer[] {
  let at = 2;
  for (const length of lengths) {
    if (extension[at] !== length) return [];
    at += 1 + length;
  }
  return [extension.subarray(0, at), Buffer.from([0])];
}
