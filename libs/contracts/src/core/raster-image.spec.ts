import { PhotoEnvelope } from './file.ts';
import { isDeclaredRaster, RASTER_TYPES, rasterTypeOf, type RasterType } from './raster-image.ts';
import { refused } from './refused.check.ts';
import { IMAGE } from './samples.ts';

const bytes = (...parts: readonly (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

const PNG: readonly (string | number[])[] = ['\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0, 0, 1, 0, 0, 0, 2, 8, 6, 0, 0, 0]];
const ftyp = (length: number, ...brands: string[]) => bytes([0, 0, 0, length], 'ftyp', brands[0]!, [0, 0, 0, 0], brands.slice(1).join(''));
const IMAGES: readonly (readonly [RasterType, Buffer])[] = [
  ['image/jpeg', bytes([0xff, 0xd8, 0xff, 0xe0, 0, 16], 'JFIF\0')],
  ['image/jpeg', bytes([0xff, 0xd8, 0xff, 0xe1, 0x12, 0x34], 'Exif\0\0')],
  ['image/jpeg', bytes([0xff, 0xd8, 0xff, 0xdb, 0, 67])],
  ['image/png', bytes(...PNG)],
  ['image/gif', bytes('GIF87a', [1, 0, 1, 0])],
  ['image/gif', bytes('GIF89a', [0, 1, 0, 1])],
  ['image/webp', bytes('RIFF', [30, 0, 0, 0], 'WEBPVP8L')],
  ['image/webp', bytes('RIFF', [30, 0, 0, 0], 'WEBPVP8 ')],
  ['image/avif', ftyp(24, 'avif', 'mif1', 'miaf')],
  ['image/avif', ftyp(24, 'mif1', 'avif', 'miaf')],
  ['image/heic', ftyp(24, 'heic', 'mif1', 'heic')],
  ['image/heic', ftyp(20, 'mif1', 'heic')],
];

describe('raster image detection @gap D1-8', () => {
  it.each(IMAGES)('detects %s by the first bytes, also in a view into a larger buffer', (type, head) => {
    const within = Buffer.concat([Buffer.alloc(7), head, Buffer.alloc(3)]);

    expect(rasterTypeOf(head)).toBe(type);
    expect(rasterTypeOf(within.subarray(7))).toBe(type);
    expect(RASTER_TYPES.filter((mime) => isDeclaredRaster(mime, head))).toEqual([type]);
    for (let length = 0; length < 6; length++) expect(rasterTypeOf(head.subarray(0, length))).toBeUndefined();
  });

  it.each([
    ['SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['SVG behind an XML declaration', bytes('<?xml version="1.0"?><svg/>')],
    ['HTML', bytes('<html><script>')],
    ['PDF', bytes('%PDF-1.7\n')],
    ['TIFF', bytes('II*\0', [8, 0, 0, 0])],
    ['BMP', bytes('BM', [0, 0, 0, 0, 0, 0, 0, 0])],
    ['a video', ftyp(20, 'isom', 'mp42')],
    ['a brand that stands behind its box', ftyp(16, 'isom', 'avif')],
    ['PNG without a header', bytes(PNG[0]!, [0, 0, 0, 13], 'IDAT', [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0])],
    ['PNG without a width', bytes(PNG[0]!, PNG[1]!, 'IHDR', [0, 0, 0, 0, 0, 0, 0, 1, 8, 6, 0, 0, 0])],
    ['PNG of no depth', bytes(PNG[0]!, PNG[1]!, 'IHDR', [0, 0, 0, 1, 0, 0, 0, 1, 3, 6, 0, 0, 0])],
    ['JPEG without a segment', bytes([0xff, 0xd8, 0xff, 0xff, 0xff, 0xff])],
    ['JPEG with a segment of no length', bytes([0xff, 0xd8, 0xff, 0xe0, 0, 1])],
    ['GIF without a height', bytes('GIF89a', [1, 0, 0, 0])],
    ['RIFF that is a sound', bytes('RIFF', [30, 0, 0, 0], 'WAVEfmt ')],
    ['nothing', bytes()],
  ])('detects no raster image in %s', (_, head) => {
    expect(rasterTypeOf(head)).toBeUndefined();
  });

  it('accepts a HEIC image declared as image/heif', () => {
    expect(isDeclaredRaster('image/heif', ftyp(24, 'heic', 'mif1', 'heic'))).toBe(true);
    expect(isDeclaredRaster('image/heif', bytes(...PNG))).toBe(false);
  });

  it('rejects an unsealed photo that is not a raster image of the declared type', () => {
    const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>').toString('base64');

    expect(refused(PhotoEnvelope, IMAGE)).toBeUndefined();
    for (const mime_type of ['image/svg+xml', 'image/png'])
      expect(refused(PhotoEnvelope, { ...IMAGE, mime_type, file: `data:${mime_type};base64,${drawing}` })).toBe('photos.type_unsupported');
    expect(refused(PhotoEnvelope, { ...IMAGE, mime_type: 'image/jpeg' })).toBe('photos.type_unsupported');
    expect(refused(PhotoEnvelope, { ...IMAGE, file: IMAGE.file.replace('image/png', 'text/html') })).toBe('photos.type_unsupported');
  });
});
