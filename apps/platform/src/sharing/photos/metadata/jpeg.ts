import { checkSize, part, PartCount, startsWith, UnreadableImage } from './image-parts.ts';
import { EXIF_PREFIX, exifWith, orientationOf } from './orientation.ts';

const MARKER = 0xff;
const [START, END, SCAN] = [0xd8, 0xd9, 0xda];
const [APP0, APP1, APP2, APP14] = [0xe0, 0xe1, 0xe2, 0xee];
const [RESTART_FIRST, RESTART_LAST, TEMPORARY] = [0xd0, 0xd7, 0x01];
/** The markers of frames, tables and scans; one among them is reserved. */
const [PICTURE_FIRST, PICTURE_LAST, RESERVED] = [0xc0, 0xdf, 0xc8];

/** How many bytes of the segments JFIF and Adobe say how the picture is shown. In JFIF a preview follows, with its width and height. */
const [JFIF_BYTES, ADOBE_BYTES] = [12, 12];
/** A preview of no width and no height. */
const NO_PREVIEW = Buffer.alloc(2);

/**
 * Leaves out what does not show the picture: comments, Exif with place, time and camera, XMP, and previews of an earlier picture. What
 * follows the end of the picture goes too, since cameras append videos there.
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
    at = isAlone(marker) ? from + 2 : segmentEnd(image, from);
    const segment = image.subarray(from, at);
    if (isFrame(marker)) checkSize(segment.readUInt16BE(7), segment.readUInt16BE(5));
    if (marker === APP1) orientation ??= orientationOf(segment.subarray(4));
    kept.push(...keptOf(marker, segment));
    if (marker !== SCAN) continue;
    hasScan = true;
    const end = scanEnd(image, at);
    kept.push(image.subarray(at, end));
    at = end;
  }
  if (!hasScan) throw new UnreadableImage();
  return Buffer.concat([image.subarray(0, 2), ...(orientation === undefined ? kept : withOrientation(kept, exifWith(orientation)))]);
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
/** Whether a segment begins a frame, and says its size. Among the markers of frames are three of tables. */
const isFrame = (marker: number): boolean => marker >= PICTURE_FIRST && marker <= 0xcf && ![0xc4, RESERVED, 0xcc].includes(marker);
const isOfPicture = (marker: number): boolean => marker >= PICTURE_FIRST && marker <= PICTURE_LAST && marker !== RESERVED;

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

/** Returns what is kept of a segment: the picture itself, its density, and its colours. */
function keptOf(marker: number, segment: Buffer): Buffer[] {
  if (isOfPicture(marker)) return [segment];
  const content = segment.subarray(4);
  if (marker === APP0 && startsWith(content, 'JFIF\0')) return [segmentOf(APP0, Buffer.concat([part(content, 0, JFIF_BYTES), NO_PREVIEW]))];
  if (marker === APP2 && startsWith(content, 'ICC_PROFILE\0')) return [segment];
  if (marker === APP14 && startsWith(content, 'Adobe')) return [segmentOf(APP14, content.subarray(0, ADOBE_BYTES))];
  return [];
}

/** Puts the orientation where readers look for it: before all other segments but that of the density. */
function withOrientation(kept: readonly Buffer[], exif: Buffer): Buffer[] {
  const segment = segmentOf(APP1, Buffer.concat([Buffer.from(EXIF_PREFIX, 'latin1'), exif]));
  const first = kept[0]?.[1] === APP0 ? 1 : 0;
  return [...kept.slice(0, first), segment, ...kept.slice(first)];
}

function segmentOf(marker: number, content: Buffer): Buffer {
  const segment = Buffer.alloc(4 + content.length);
  segment.set([MARKER, marker]);
  segment.writeUInt16BE(2 + content.length, 2);
  segment.set(content, 4);
  return segment;
}
