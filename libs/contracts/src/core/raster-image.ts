/**
 * Photos are raster images: a drawing such as SVG can hold a script, which would run where the drawing is shown. The first bytes of a file
 * decide what it is, because its sender can declare anything. This file imports nothing, so that a browser can load it alone. @gap D1-8
 */

/** The kinds of images that are accepted. */
export const RASTER_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/heic', 'image/gif'] as const;
export type RasterType = (typeof RASTER_TYPES)[number];

/** How many bytes from the start are enough to tell the kind of image. */
export const RASTER_HEAD_BYTES = 384;

/** Returns the kind of image that begins with these bytes, by its signature and the numbers after it; undefined when it is none of them. */
export function rasterTypeOf(head: Uint8Array): RasterType | undefined {
  return RASTER_TYPES.find((type) => BEGINS[type](new DataView(head.buffer, head.byteOffset, head.byteLength)));
}

/** Whether the declared type is the kind of image that the bytes are. HEIC files may also be declared as HEIF. */
export const isDeclaredRaster = (mime: string, head: Uint8Array): boolean =>
  rasterTypeOf(head) === (mime === 'image/heif' ? 'image/heic' : mime);

const BEGINS: Readonly<Record<RasterType, (head: DataView) => boolean>> = {
  'image/jpeg': isJpeg,
  'image/png': isPng,
  'image/webp': isWebp,
  'image/avif': (head) => brandOf(head) === 'image/avif',
  'image/heic': (head) => brandOf(head) === 'image/heic',
  'image/gif': isGif,
};

/** Checks the start of image, then a segment that is long enough to have a length: tables, a frame, a comment or application data. */
function isJpeg(head: DataView): boolean {
  if (head.byteLength < 6 || head.getUint16(0) !== 0xffd8 || head.getUint8(2) !== 0xff) return false;
  const marker = head.getUint8(3);
  return (
    ((marker >= 0xc0 && marker <= 0xcf) || marker === 0xdb || marker === 0xdd || marker >= 0xe0) &&
    marker !== 0xff &&
    head.getUint16(4) >= 2
  );
}

/** Checks the signature, then IHDR with a width, a height and a depth. */
function isPng(head: DataView): boolean {
  if (head.byteLength < 26 || textAt(head, 0, 8) !== '\x89PNG\r\n\x1a\n') return false;
  const isHeader = head.getUint32(8) === 13 && textAt(head, 12, 4) === 'IHDR';
  return isHeader && isSide(head.getUint32(16)) && isSide(head.getUint32(20)) && [1, 2, 4, 8, 16].includes(head.getUint8(24));
}
const isSide = (pixels: number) => pixels > 0 && pixels < 2 ** 31;

function isGif(head: DataView): boolean {
  const isSigned = head.byteLength >= 10 && ['GIF87a', 'GIF89a'].includes(textAt(head, 0, 6));
  return isSigned && head.getUint16(6, true) > 0 && head.getUint16(8, true) > 0;
}

function isWebp(head: DataView): boolean {
  const isSigned = head.byteLength >= 16 && textAt(head, 0, 4) === 'RIFF' && textAt(head, 8, 4) === 'WEBP';
  return isSigned && head.getUint32(4, true) >= 8 && ['VP8 ', 'VP8L', 'VP8X'].includes(textAt(head, 12, 4));
}

const BRANDS: Readonly<Record<string, RasterType>> = {
  avif: 'image/avif',
  avis: 'image/avif',
  heic: 'image/heic',
  heix: 'image/heic',
  heim: 'image/heic',
  heis: 'image/heic',
  hevc: 'image/heic',
  hevx: 'image/heic',
};

/** Returns the kind of image by the brands in the first box of the file: the major brand, and those it is compatible with. */
function brandOf(head: DataView): RasterType | undefined {
  if (head.byteLength < 16 || textAt(head, 4, 4) !== 'ftyp') return undefined;
  const end = Math.min(head.getUint32(0), head.byteLength - (head.byteLength % 4));
  const brands = [textAt(head, 8, 4)];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(textAt(head, at, 4));
  return brands.map((brand) => BRANDS[brand]).find(Boolean);
}

const textAt = (head: DataView, from: number, length: number) =>
  String.fromCharCode(...new Uint8Array(head.buffer, head.byteOffset + from, length));
