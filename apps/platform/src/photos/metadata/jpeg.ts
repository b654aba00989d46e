import { part, PartCount, startsWith, UnreadableImage } from './image-parts.ts';
import { EXIF_PREFIX, exifWith, orientationOf } from './orientation.ts';

const MARKER = 0xff;
const [START, END, SCAN, COMMENT] = [0xd8, 0xd9, 0xda, 0xfe];
const [APP0, APP1, APP15] = [0xe0, 0xe1, 0xef];
const [RESTART_FIRST, RESTART_LAST, TEMPORARY] = [0xd0, 0xd7, 0x01];

/** Application segments that say how the picture is shown, and how each begins: its density, and its colours. */
const SHOWN = new Map([
  [APP0, 'JFIF\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xee, 'Adobe'],
]);

/**
 * Leaves out comments and application segments: Exif with place, time and camera, XMP, and previews of an earlier picture. What follows the
 * end of the picture goes too, since cameras append videos there.
 */
export function jpegWithoutMetadata(image: Buffer): Buffer {
  const kept: Buffer[] = [];
  const parts = new PartCount();
  let orientation: ReturnType<typeof orientationOf>;
  let hasScan = false;
  for (let at = 2; ;) {
    parts.next();
    const from = markerAt(image, at);
    const marker = image[from + 1]!;
    if (marker === END) {
      kept.push(part(image, from, from + 2));
      break;
    }
    const end = isAlone(marker) ? from + 2 : segmentEnd(image, from);
    const content = image.subarray(from + 4, end);
    if (marker === APP1) orientation ??= orientationOf(content);
    if (!isMetadata(marker, content)) kept.push(image.subarray(from, end));
    at = end;
    if (marker !== SCAN) continue;
    hasScan = true;
    at = scanEnd(image, end);
    kept.push(image.subarray(end, at));
    if (at === image.length) break; // the picture is cut off, and shown as far as it goes
  }
  if (!hasScan) throw new UnreadableImage();
  return Buffer.concat(orientation === undefined ? [image.subarray(0, 2), ...kept] : withOrientation(image, kept, exifWith(orientation)));
}

/** Returns where the next marker begins. Any number of fill bytes may stand before it. */
function markerAt(image: Buffer, at: number): number {
  if (image[at] !== MARKER) throw new UnreadableImage();
  let from = at;
  while (image[from + 1] === MARKER) from++;
  const marker = image[from + 1];
  if (marker === undefined || marker === 0 || marker === START) throw new UnreadableImage();
  return from;
}

const isAlone = (marker: number): boolean => marker === TEMPORARY || isRestart(marker);
const isRestart = (marker: number): boolean => marker >= RESTART_FIRST && marker <= RESTART_LAST;

function segmentEnd(image: Buffer, from: number): number {
  const end = from + 2 + image.readUInt16BE(from + 2);
  if (end < from + 4) throw new UnreadableImage();
  part(image, from, end);
  return end;
}

/** Returns where the coded picture ends: at the next marker that is no part of it. */
function scanEnd(image: Buffer, from: number): number {
  for (let at = from; at + 1 < image.length; at++) {
    if (image[at] !== MARKER) continue;
    const next = image[at + 1]!;
    if (next !== 0 && next !== MARKER && !isRestart(next)) return at;
  }
  return image.length;
}

const isMetadata = (marker: number, content: Buffer): boolean =>
  marker === COMMENT || (marker >= APP0 && marker <= APP15 && !isShown(marker, content));

function isShown(marker: number, content: Buffer): boolean {
  const name = SHOWN.get(marker);
  return name !== undefined && startsWith(content, name);
}

/** Puts the orientation where readers look for it: before all other segments but that of the density. */
function withOrientation(image: Buffer, kept: readonly Buffer[], exif: Buffer): Buffer[] {
  const content = Buffer.concat([Buffer.from(EXIF_PREFIX, 'latin1'), exif]);
  const segment = Buffer.alloc(4 + content.length);
  segment.set([MARKER, APP1]);
  segment.writeUInt16BE(2 + content.length, 2);
  segment.set(content, 4);
  const first = kept[0]?.[1] === APP0 ? 1 : 0;
  return [image.subarray(0, 2), ...kept.slice(0, first), segment, ...kept.slice(first)];
}
