import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { NewPhoto } from '@codase/testing';

const word = (number: number) => Buffer.from([(number >>> 24) & 255, (number >>> 16) & 255, (number >>> 8) & 255, number & 255]);
const latin = (text: string) => Buffer.from(text, 'latin1');

export const pngChunk = (type: string, content: Buffer) => {
  const checked = Buffer.concat([latin(type), content]);
  return Buffer.concat([word(content.length), checked, word(crc32(checked))]);
};

const PNG_SIGNATURE = latin('\x89PNG\r\n\x1a\n');
const pngHeader = (width: number, height: number) =>
  pngChunk('IHDR', Buffer.concat([word(width), word(height), Buffer.from([8, 0, 0, 0, 0])]));
const PNG_HEADER = pngHeader(1, 1);
/** A small PNG that says that it has so many pixels. */
export const pngOf = (width: number, height: number): Buffer =>
  Buffer.concat([PNG_SIGNATURE, pngHeader(width, height), pngChunk('IDAT', Buffer.alloc(9)), pngChunk('IEND', Buffer.alloc(0))]);

/** A PNG whose picture has so many bytes, with further chunks before the picture. */
export const png = (bytes: number, ...chunks: Buffer[]): Buffer =>
  Buffer.concat([PNG_SIGNATURE, PNG_HEADER, ...chunks, pngChunk('IDAT', randomBytes(bytes)), pngChunk('IEND', Buffer.alloc(0))]);

/** The photo as it is sent. */
export const photoOf = (bytes: Uint8Array, mime_type = 'image/png'): NewPhoto => ({
  file: `data:${mime_type};base64,${Buffer.from(bytes).toString('base64')}`,
  original_name: 'photo',
  mime_type,
  size: bytes.length,
});

export const jpegSegment = (marker: number, content: Buffer) =>
  Buffer.concat([Buffer.from([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255]), content]);

/** An Exif block: a TIFF with an orientation, and a text where a camera says where it was. */
export function exif(orientation: number, text: string, isLittle = false): Buffer {
  const tiff = Buffer.alloc(8 + 2 + 2 * 12 + 4);
  const short = (value: number, at: number) => void (isLittle ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at));
  const long = (value: number, at: number) => void (isLittle ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at));
  tiff.write(isLittle ? 'II*\0' : 'MM\0*', 'latin1');
  long(8, 4);
  short(2, 8);
  [0x010e, 2].forEach((value, nth) => short(value, 10 + 2 * nth)); // ImageDescription, text
  long(text.length, 14);
  long(tiff.length, 18);
  [0x0112, 3].forEach((value, nth) => short(value, 22 + 2 * nth)); // Orientation, short
  long(1, 26);
  short(orientation, 30);
  return Buffer.concat([tiff, latin(text)]);
}

/** Segments of a JPEG with metadata, one of each kind. */
export const jpegMetadata = (secret: string, orientation: number, isLittle = false): Buffer[] => [
  jpegSegment(0xe1, Buffer.concat([latin('Exif\0\0'), exif(orientation, secret, isLittle)])),
  jpegSegment(0xe1, latin(`http://ns.adobe.com/xap/1.0/\0<x>${secret}</x>`)),
  jpegSegment(0xe2, latin(`MPF\0${secret}`)),
  jpegSegment(0xed, latin(`Photoshop 3.0\x008BIM${secret}`)),
  jpegSegment(0xe0, latin(`JFXX\0${secret}`)),
  jpegSegment(0xfe, latin(secret)),
];
export const JPEG_SHOWN = {
  jfif: jpegSegment(0xe0, latin('JFIF\0\x01\x01\0\0\x01\0\x01\0\0')),
  colours: jpegSegment(0xe2, latin('ICC_PROFILE\0\x01\x01profile')),
  adobe: jpegSegment(0xee, latin('Adobe\0\x64\0\0\0\0\x01')),
};

/** A JPEG with two scans; `parts` stand before its tables, and `between` between its scans. */
export const jpeg = (parts: readonly Buffer[] = [], between: readonly Buffer[] = [], after = Buffer.alloc(0)): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...parts,
    jpegSegment(0xdb, Buffer.alloc(65)),
    jpegSegment(0xc2, Buffer.from([8, 0, 1, 0, 1, 1, 1, 17, 0])),
    jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([1, 2, 0xff, 0, 3, 0xff, 0xd0, 4]),
    ...between,
    jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([5, 6, 0xff, 0xff, 0xd9]),
    after,
  ]);

const little = (number: number) => Buffer.from([number & 255, (number >>> 8) & 255, (number >>> 16) & 255, number >>> 24]);
export const webpChunk = (type: string, content: Buffer) =>
  Buffer.concat([latin(type), little(content.length), content, Buffer.alloc(content.length % 2)]);
export const webp = (...chunks: Buffer[]): Buffer => {
  const content = Buffer.concat([latin('WEBP'), ...chunks]);
  return Buffer.concat([latin('RIFF'), little(content.length), content]);
};
/** A lossy picture of one pixel: the tag of its frame, its start code, width and height, and some bytes. */
export const webpPicture = webpChunk('VP8 ', Buffer.from([0, 0, 0, 0x9d, 1, 0x2a, 1, 0, 1, 0, 7]));
/** The chunk VP8X with flags, of a picture of one pixel. */
export const webpExtended = (flags: number) => webpChunk('VP8X', Buffer.from([flags, 0, 0, 0, 0, 0, 0, 0, 0, 0]));

const rows = (text: string) => Buffer.concat([Buffer.from([text.length]), latin(text), Buffer.from([0])]);
export const gifPicture = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
export const gifExtension = (label: number, first: string, second: string) =>
  Buffer.concat([Buffer.from([0x21, label, first.length]), latin(first), rows(second)]);
export const gif = (...blocks: Buffer[]): Buffer =>
  Buffer.concat([latin('GIF89a'), Buffer.from([1, 0, 1, 0, 0x80, 0, 0]), Buffer.from([0, 0, 0, 255, 255, 255]), ...blocks, latin(';')]);

const box = (type: string, ...contents: Buffer[]) => {
  const content = Buffer.concat(contents);
  return Buffer.concat([word(content.length + 8), latin(type), content]);
};
const short = (number: number) => Buffer.from([number >> 8, number & 255]);
/** The entry of an item: its version says how it is written. */
export const heifItem = (id: number, type: string, name = '', version = 2) =>
  box(
    'infe',
    Buffer.from([version, 0, 0, 0]),
    version === 3 ? word(id) : short(id),
    short(0),
    latin(`${version < 2 ? '' : type}${name}\0`),
  );

/** What stands in a HEIC or AVIF: a picture, Exif and XMP, and where they are. */
interface Heif {
  brand?: string;
  secret: string;
  /** How the place of Exif is said, and what it says. */
  method?: number;
  exifAt?: { from: number; bytes: number };
  /** The entry of the item that is XMP. */
  xmpItem?: Buffer;
  /** Further boxes in the one that describes the picture, and behind the picture. */
  inMeta?: Buffer[];
  after?: Buffer[];
}

/** An image as phones write it: its parts in a box behind the one that says where they are. */
export function heif({ brand = 'heic', secret, method = 0, exifAt, xmpItem = heifItem(3, 'mime'), inMeta = [], after = [] }: Heif): Buffer {
  const exifItem = Buffer.concat([word(0), exif(6, secret)]);
  const isInHead = method === 1;
  const parts = { picture: Buffer.from('coded picture'), exif: isInHead ? Buffer.alloc(0) : exifItem, xmp: latin(`<x>${secret}</x>`) };
  const head = box('ftyp', latin(brand), word(0), latin('mif1'), latin(brand));
  const metaWith = (data: number) => {
    const location = (id: number, how: number, from: number, length: number) =>
      Buffer.concat([short(id), short(how), short(0), short(1), word(from), word(length)]);
    const exifFrom = exifAt?.from ?? (isInHead ? 0 : data + parts.picture.length);
    const locations = [
      location(1, 0, data, parts.picture.length),
      location(2, method, exifFrom, exifAt?.bytes ?? exifItem.length),
      location(3, 0, data + parts.picture.length + parts.exif.length, parts.xmp.length),
    ];
    return box(
      'meta',
      word(0),
      box('iinf', word(0), short(3), heifItem(1, 'hvc1'), heifItem(2, 'Exif'), xmpItem),
      box('iloc', Buffer.from([1, 0, 0, 0, 0x44, 0]), short(3), ...locations),
      box('idat', isInHead ? exifItem : Buffer.alloc(0)),
      box('uuid', latin(secret.padEnd(16))),
      ...inMeta,
    );
  };
  const data = head.length + metaWith(0).length + 8;
  return Buffer.concat([head, metaWith(data), box('mdat', parts.picture, parts.exif, parts.xmp), ...after]);
}
export const heifBox = box;
