import { crc32 } from 'node:zlib';
import { RASTER_HEAD_BYTES, rasterTypeOf, type RasterType } from '@codase/contracts';
import {
  exif,
  gif,
  gifExtension,
  gifPicture,
  heif,
  heifBox,
  heifItem,
  jpeg,
  JPEG_SHOWN,
  jpegMetadata,
  jpegSegment,
  png,
  pngChunk,
  pngOf,
  webp,
  webpChunk,
  webpExtended,
  webpPicture,
} from '../../support/images.ts';
import { TooManyPixels, UnreadableImage } from '../../../src/sharing/photos/metadata/image-parts.ts';
import { orientationOf } from '../../../src/sharing/photos/metadata/orientation.ts';
import { withoutMetadata } from '../../../src/sharing/photos/metadata/without-metadata.ts';

const SECRET = 'N 59.3293 E 18.0686, 2026-11-19';
const TURNED = 6;
const { jfif, colours, adobe } = JPEG_SHOWN;
const video = Buffer.from(`ftypmp42 ${SECRET}`);
const extras = [heifBox('mpvd', video), heifBox('free', video)];
const picture = webpPicture;
const control = gifExtension(0xf9, '\0\0\0\0', '').subarray(0, 8);
const repeated = gifExtension(0xff, 'NETSCAPE2.0', '\x01\0\0');
const secret = Buffer.from(SECRET);
const none = Buffer.alloc(4);
/** An extension of a GIF with one more data block at its end. */
const longer = (extension: Buffer) => Buffer.concat([extension.subarray(0, -1), Buffer.from([secret.length]), secret, Buffer.from([0])]);
const still = png(4);
const behindItsEnd = Buffer.concat([webp(picture), secret]);
behindItsEnd.writeUInt32LE(3 + secret.length, 16);
const properties = ['udes', 'uuid', 'altt', 'crtt'].map((type) => heifBox(type, none, secret));
/** A size as HEIC writes it, behind a version. */
const sizeOf = (width: number, height: number) => {
  const size = Buffer.alloc(12);
  size.writeUInt32BE(width, 4);
  size.writeUInt32BE(height, 8);
  return size;
};
const shownProperties = [heifBox('ispe', sizeOf(96, 48)), heifBox('irot', Buffer.from([1]))];

/** Images with metadata of each kind, and how each is without it. */
const IMAGES: [string, RasterType, Buffer, Buffer | undefined][] = [
  ['a JPEG', 'image/jpeg', jpeg([jfif, ...jpegMetadata(SECRET, 1), colours, adobe], [], video), jpeg([jfif, colours, adobe])],
  [
    'a JPEG with a preview',
    'image/jpeg',
    jpeg([jpegSegment(0xe0, Buffer.concat([jfif.subarray(4, -2), Buffer.from([10, 1]), secret]))]),
    jpeg([jfif]),
  ],
  [
    'a JPEG with segments of no kind',
    'image/jpeg',
    jpeg([jpegSegment(0xf7, secret), jpegSegment(2, secret), jpegSegment(0xc8, secret), adobe]),
    jpeg([adobe]),
  ],
  [
    'a JPEG whose colours are followed by more',
    'image/jpeg',
    jpeg([jpegSegment(0xee, Buffer.concat([adobe.subarray(4), secret]))]),
    jpeg([adobe]),
  ],
  ['a JPEG with a comment between its scans', 'image/jpeg', jpeg([], jpegMetadata(SECRET, 1).slice(1)), jpeg()],
  ['a JPEG that is turned', 'image/jpeg', jpeg([jfif, ...jpegMetadata(SECRET, TURNED), adobe], [], video), undefined],
  ['a JPEG that is turned, by a little-endian camera', 'image/jpeg', jpeg(jpegMetadata(SECRET, TURNED, true)), undefined],
  ['a PNG that is turned', 'image/png', png(4, pngChunk('eXIf', exif(TURNED, SECRET))), undefined],
  ['a PNG whose end says more', 'image/png', Buffer.concat([still.subarray(0, -12), pngChunk('IEND', secret)]), still],
  ['a WebP', 'image/webp', webp(webpExtended(0x2c), picture, webpChunk('XMP ', Buffer.from(SECRET))), webp(webpExtended(0x20), picture)],
  ['a WebP that is turned', 'image/webp', webp(webpExtended(0x08), picture, webpChunk('EXIF', exif(TURNED, SECRET))), undefined],
  [
    'a WebP with an upright Exif',
    'image/webp',
    webp(webpExtended(8), picture, webpChunk('EXIF', exif(1, SECRET))),
    webp(webpExtended(0), picture),
  ],
  ['a WebP before video', 'image/webp', Buffer.concat([webp(picture), video]), webp(picture)],
  [
    'a GIF',
    'image/gif',
    Buffer.concat([
      gif(repeated, gifExtension(0xfe, 'c', SECRET), control, Buffer.from([0]), gifPicture, gifExtension(0xff, 'XMP DataXMP', SECRET)),
      video,
    ]),
    gif(repeated, control, Buffer.from([0]), gifPicture),
  ],
  [
    'a GIF whose extensions go on',
    'image/gif',
    gif(longer(repeated), longer(control), gifExtension(0xff, 'NETSCAPE2.0', SECRET), gifPicture),
    gif(repeated, control, gifPicture),
  ],
  ['a HEIC', 'image/heic', heif({ secret: SECRET }), undefined],
  [
    'a HEIC with texts in its description',
    'image/heic',
    heif({ secret: SECRET, inMeta: ['xml ', 'bxml', 'udta', 'free', 'abcd'].map((type) => heifBox(type, none, secret)) }),
    undefined,
  ],
  [
    'an AVIF with a description among its properties',
    'image/avif',
    heif({ brand: 'avif', secret: SECRET, inMeta: [heifBox('iprp', heifBox('ipco', ...properties), heifBox('abcd', secret))] }),
    undefined,
  ],
  ['a HEIC whose items have names', 'image/heic', heif({ secret: SECRET, xmpItem: heifItem(3, 'uri ', SECRET) }), undefined],
  ['a HEIC whose items have no types', 'image/heic', heif({ secret: SECRET, xmpItem: heifItem(3, '', 'XMP\0text/xml', 1) }), undefined],
  ['a HEIC with an item of no kind', 'image/heic', heif({ secret: SECRET, xmpItem: heifItem(3, 'abcd', '', 3) }), undefined],
  ['a HEIC whose Exif is in its head', 'image/heic', heif({ secret: SECRET, method: 1 }), undefined],
  ['an AVIF with a video', 'image/avif', heif({ brand: 'avif', secret: SECRET, after: extras }), undefined],
  [
    'a sequence of pictures',
    'image/heic',
    heif({
      brand: 'hevc',
      secret: SECRET,
      after: [
        heifBox(
          'moov',
          heifBox('mvhd', none, secret),
          heifBox('free', video),
          heifBox(
            'trak',
            heifBox('udta', video),
            heifBox('mdia', heifBox('mdhd', Buffer.from([1, 0, 0, 0]), secret), heifBox('abcd', video)),
          ),
          heifBox('udta', video),
        ),
      ],
    }),
    undefined,
  ],
  [
    'a HEIC before bytes that are no box',
    'image/heic',
    Buffer.concat([heif({ secret: SECRET }), Buffer.from([0, 0, 0, 3]), video]),
    undefined,
  ],
];

const says = (image: Buffer, text: string) => image.includes(Buffer.from(text, 'latin1'));
/** A generator of numbers from 0 to below 1, the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
/** Returns the image without its metadata, or how it is refused. Any other error is thrown. */
const tried = (type: RasterType, image: Buffer): Buffer | 'refused' => {
  try {
    return withoutMetadata(type, image);
  } catch (error) {
    if (error instanceof UnreadableImage || error instanceof TooManyPixels) return 'refused';
    throw error;
  }
};

describe('removal of image metadata @gap D1-5.8', () => {
  it.each(IMAGES)('%s keeps its type and loses its metadata', (_, type, image, expected) => {
    const before = Buffer.from(image);
    const bare = withoutMetadata(type, image);

    expect(says(image, SECRET)).toBe(true);
    expect(says(bare, SECRET)).toBe(false);
    expect(says(bare, 'mp42')).toBe(false);
    expect(rasterTypeOf(bare.subarray(0, RASTER_HEAD_BYTES))).toBe(type);
    expect(withoutMetadata(type, bare)).toEqual(bare);
    expect(bare).toEqual(expected ?? bare);
    expect(image).toEqual(before);
  });

  it('returns an image without metadata unchanged', () => {
    const plain: [RasterType, Buffer][] = [
      ['image/jpeg', jpeg([jfif, colours, adobe])],
      ['image/png', png(100, pngChunk('iCCP', Buffer.from('p')), pngChunk('acTL', Buffer.alloc(8)))],
      ['image/webp', webp(webpExtended(0x20), webpChunk('ICCP', Buffer.from('p')), picture)],
      ['image/gif', gif(repeated, control, gifPicture)],
    ];

    for (const [type, image] of plain) expect(withoutMetadata(type, image)).toEqual(image);
  });

  it('keeps the Exif orientation', () => {
    const bare = withoutMetadata('image/jpeg', jpeg([jfif, ...jpegMetadata(SECRET, TURNED), adobe]));
    const at = bare.indexOf('Exif');

    expect(at).toBe(2 + jfif.length + 4);
    expect(orientationOf(bare.subarray(at))).toBe(TURNED);
    const ofPng = withoutMetadata('image/png', png(4, pngChunk('eXIf', exif(TURNED, SECRET))));
    expect(orientationOf(ofPng.subarray(ofPng.indexOf('eXIf') + 4))).toBe(TURNED);
    const chunk = ofPng.subarray(ofPng.indexOf('eXIf'));
    expect(chunk.readUInt32BE(4 + 26)).toBe(crc32(chunk.subarray(0, 4 + 26)));
    const ofWebp = withoutMetadata('image/webp', webp(webpExtended(0x08), picture, webpChunk('EXIF', exif(TURNED, SECRET))));
    expect(orientationOf(ofWebp.subarray(ofWebp.indexOf('EXIF') + 8))).toBe(TURNED);
    expect(ofWebp[20]! & 0x08).toBe(0x08);
  });

  it('keeps the position of the coded picture in HEIC and AVIF', () => {
    const image = heif({ secret: SECRET });
    const bare = withoutMetadata('image/heic', image);

    expect(bare).toHaveLength(image.length);
    expect(bare.indexOf('coded picture')).toBe(image.indexOf('coded picture'));
    expect(bare.subarray(bare.indexOf('coded picture') + 13).toString('hex')).toMatch(/^000000004d4d002a0000000800000000/);
  });

  it('removes times and program names in HEIC and AVIF', () => {
    const [short, long] = [Buffer.alloc(4), Buffer.from([1, 0, 0, 0])];
    const handler = heifBox('hdlr', Buffer.alloc(8), Buffer.from('pict'), Buffer.alloc(12), Buffer.from('libcamera 1.2\0'));
    const track = heifBox('trak', heifBox('tkhd', long, Buffer.from('16 bytes of time, kept')), heifBox('mdia', handler));
    const movie = heifBox('moov', heifBox('mvhd', short, Buffer.from('8 bytes,kept')), track);
    const bare = withoutMetadata('image/heic', heif({ secret: SECRET, inMeta: [handler], after: [movie] }));

    expect(['libcamera', 'bytes', 'time'].filter((text) => says(bare, text))).toEqual([]);
    expect(bare.toString('latin1').split('kept')).toHaveLength(3);
    expect(bare.toString('latin1').split('pict\0')).toHaveLength(3);
  });

  it('keeps the numbering of properties and those that show the picture, in HEIC and AVIF', () => {
    const all = [properties[0]!, ...shownProperties, properties[1]!];
    const image = heif({ secret: SECRET, inMeta: [heifBox('iprp', heifBox('ipco', ...all))] });
    const bare = withoutMetadata('image/heic', image);

    const emptied = all.map((one) => (shownProperties.includes(one) ? one : Buffer.from(one).fill(0, 8)));
    expect(says(image, all.map((one) => one.toString('latin1')).join(''))).toBe(true);
    expect(says(bare, emptied.map((one) => one.toString('latin1')).join(''))).toBe(true);
  });

  it.each<[string, RasterType, Buffer]>([
    ['a JPEG without a picture', 'image/jpeg', Buffer.concat([jpeg().subarray(0, 71), Buffer.from([0xff, 0xd9])])],
    ['a JPEG that ends in a segment', 'image/jpeg', jpeg().subarray(0, 40)],
    ['a JPEG with bytes between its segments', 'image/jpeg', jpeg([Buffer.from([0, 0])])],
    ['a JPEG without an end', 'image/jpeg', jpeg().subarray(0, -2)],
    ['a JPEG that ends in its density', 'image/jpeg', jpeg([jpegSegment(0xe0, Buffer.from('JFIF\0'))])],
    ['a JPEG in a JPEG', 'image/jpeg', jpeg([jpeg()])],
    ['a PNG without a picture', 'image/png', Buffer.concat([png(0).subarray(0, 33), pngChunk('IEND', Buffer.alloc(0))])],
    ['a PNG that ends in its picture', 'image/png', png(50).subarray(0, 60)],
    ['a PNG with a chunk of four gigabytes', 'image/png', Buffer.concat([png(0).subarray(0, 33), Buffer.alloc(12, 0xff)])],
    ['a WebP without a picture', 'image/webp', webp(webpExtended(0))],
    ['a WebP that is cut off', 'image/webp', webp(picture).subarray(0, -4)],
    ['a WebP with a chunk that goes on behind its end', 'image/webp', behindItsEnd],
    ['a GIF without a picture', 'image/gif', gif()],
    ['a GIF that does not end', 'image/gif', gif(gifPicture).subarray(0, -2)],
    ['a GIF with a block of no kind', 'image/gif', gif(Buffer.from([0x42]), gifPicture)],
    ['a HEIC without a description', 'image/heic', heif({ secret: SECRET }).subarray(0, 28)],
    ['a HEIC that ends in its description', 'image/heic', heif({ secret: SECRET }).subarray(0, 80)],
    ['a HEIC with two descriptions', 'image/heic', heif({ secret: SECRET, after: [heifBox('meta', none)] })],
    ['a HEIC with two lists of places', 'image/heic', heif({ secret: SECRET, inMeta: [heifBox('iloc', Buffer.alloc(8))] })],
    ['a HEIC with a list of something else', 'image/heic', heif({ secret: SECRET, xmpItem: heifBox('abcd', secret) })],
    ['a HEIC whose Exif has no length', 'image/heic', heif({ secret: SECRET, exifAt: { from: 0, bytes: 0 } })],
    ['a HEIC whose Exif is elsewhere', 'image/heic', heif({ secret: SECRET, method: 2 })],
    ['a HEIC whose Exif is behind its end', 'image/heic', heif({ secret: SECRET, exifAt: { from: 100_000, bytes: 5 } })],
    ['a HEIC whose Exif is its own beginning', 'image/heic', heif({ secret: SECRET, exifAt: { from: 0, bytes: 40 } })],
  ])('%s is refused', (_, type, image) => {
    expect(() => withoutMetadata(type, image)).toThrow(UnreadableImage);
  });

  describe('whose header says its size', () => {
    const frame = (width: number, height: number) => {
      const image = jpeg();
      const at = image.indexOf(Buffer.from([0xff, 0xc2]));
      image.writeUInt16BE(height, at + 5);
      image.writeUInt16BE(width, at + 7);
      return image;
    };
    const lossy = (width: number, height: number) => {
      const chunk = Buffer.from(webpPicture);
      chunk.writeUInt16LE(width, 14);
      chunk.writeUInt16LE(height, 16);
      return webp(chunk);
    };
    const lossless = (width: number, height: number) => {
      const content = Buffer.from([0x2f, 0, 0, 0, 0, 0]);
      content.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1);
      return webp(webpChunk('VP8L', content));
    };
    const extended = (width: number, height: number) => {
      const chunk = Buffer.from(webpExtended(0));
      chunk.writeUIntLE(width - 1, 12, 3);
      chunk.writeUIntLE(height - 1, 15, 3);
      return webp(chunk, webpPicture);
    };
    const screen = (width: number, height: number) => {
      const image = gif(gifPicture);
      image.writeUInt16LE(width, 6);
      image.writeUInt16LE(height, 8);
      return image;
    };
    const heic = (width: number, height: number) =>
      heif({ secret: SECRET, inMeta: [heifBox('iprp', heifBox('ipco', heifBox('ispe', sizeOf(width, height))))] });
    const track = (width: number, height: number) => {
      const sides = Buffer.alloc(8);
      sides.writeUInt32BE(width * 65_536);
      sides.writeUInt32BE(height * 65_536, 4);
      return heif({ secret: SECRET, after: [heifBox('moov', heifBox('trak', heifBox('tkhd', Buffer.alloc(20), sides)))] });
    };

    it.each<[string, RasterType, (width: number, height: number) => Buffer, number]>([
      ['a JPEG', 'image/jpeg', frame, 60_000],
      ['a PNG', 'image/png', pngOf, 60_000],
      ['a lossy WebP', 'image/webp', lossy, 16_000],
      ['a lossless WebP', 'image/webp', lossless, 16_000],
      ['an extended WebP', 'image/webp', extended, 60_000],
      ['a GIF', 'image/gif', screen, 60_000],
      ['a HEIC', 'image/heic', heic, 60_000],
      ['a track of a HEIC', 'image/heic', track, 60_000],
    ])('%s is refused with more pixels than programs show, and accepted with fewer', (_, type, image, side) => {
      expect(() => withoutMetadata(type, image(side, side))).toThrow(TooManyPixels);
      expect(() => withoutMetadata(type, image(side, side))).toThrow(`${side} × ${side} pixels`);
      expect(withoutMetadata(type, image(10_000, 10_000))).toBeInstanceOf(Buffer);
      expect(withoutMetadata(type, image(12_240, 8160))).toBeInstanceOf(Buffer);
    });

    it.each<[string, RasterType, Buffer]>([
      ['a JPEG', 'image/jpeg', frame(7, 0)],
      ['a PNG', 'image/png', pngOf(0, 7)],
      ['a PNG whose header is not first', 'image/png', png(4).fill('gAMA', 12, 16)],
      ['a WebP', 'image/webp', lossy(0, 7)],
      ['a GIF', 'image/gif', screen(0, 0)],
      ['a HEIC', 'image/heic', heic(7, 0)],
    ])('%s without pixels is refused', (_, type, image) => {
      expect(() => withoutMetadata(type, image)).toThrow(UnreadableImage);
    });
  });

  it('succeeds or refuses for randomly corrupted images, and never makes them longer', () => {
    const random = numbers(7);
    const below = (most: number) => Math.floor(random() * most);
    const changes: ((image: Buffer) => Buffer)[] = [
      (image) => Buffer.from(image.map((byte) => (below(20) === 0 ? below(256) : byte))),
      (image) => Buffer.from(image).fill(below(2) * 255, below(image.length)),
      (image) => image.subarray(0, below(image.length)),
      (image) => Buffer.concat([image.subarray(0, below(image.length)), image.subarray(below(image.length))]),
      (image) => {
        const changed = Buffer.from(image);
        changed.writeUInt32BE([0, 1, 7, 8, 0x7fffffff, 0xffffffff][below(6)]!, below(image.length - 4));
        return changed;
      },
    ];
    const outcomes = { bare: 0, refused: 0 };
    for (let round = 0; round < 400; round++) {
      for (const [, type, image] of IMAGES) {
        const changed = changes[below(changes.length)]!(image);
        const bare = tried(type, changed);
        outcomes[bare === 'refused' ? 'refused' : 'bare']++;
        const [length, found] = bare === 'refused' ? [0, type] : [bare.length, rasterTypeOf(bare.subarray(0, RASTER_HEAD_BYTES))];
        expect([length <= changed.length + 8, found]).toEqual([true, type]);
      }
    }

    expect(outcomes.bare).toBeGreaterThan(500);
    expect(outcomes.refused).toBeGreaterThan(500);
  });

  it('takes limited CPU time for hostile images', () => {
    const BYTES = 6_000_000;
    const many = (one: Buffer) => Buffer.alloc(BYTES, one);
    const openPng = png(1).subarray(0, -12);
    const openJpeg = jpeg().subarray(0, -3);
    const entries = many(Buffer.from([0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 80, 0, 0])).subarray(0, 16 * 60_000);
    const wipedOften = heifBox(
      'meta',
      Buffer.alloc(4),
      heifBox('iinf', Buffer.from([0, 0, 0, 0, 0, 1]), heifBox('infe', Buffer.from([2, 0, 0, 0, 0, 2, 0, 0]), Buffer.from('Exif\0'))),
      heifBox('iloc', Buffer.from([1, 0, 0, 0, 0x44, 0, 0xea, 0x60]), entries),
    );
    const hostile: [RasterType, Buffer][] = [
      ['image/jpeg', Buffer.concat([openJpeg, many(Buffer.from([0xff]))])],
      ['image/jpeg', Buffer.concat([openJpeg, many(Buffer.from([0xff, 0xd0]))])],
      ['image/jpeg', Buffer.concat([openJpeg, many(Buffer.from([0xff, 0xda, 0, 2]))])],
      ['image/jpeg', jpeg([], [], many(Buffer.from([0])))],
      ['image/png', Buffer.concat([openPng, many(pngChunk('zTXt', Buffer.alloc(0)))])],
      ['image/png', Buffer.concat([openPng, many(pngChunk('IDAT', Buffer.alloc(0)))])],
      ['image/gif', Buffer.concat([gif(gifPicture).subarray(0, -1), many(Buffer.from([0]))])],
      ['image/gif', Buffer.concat([gif(gifPicture).subarray(0, -2), many(Buffer.from([1, 1]))])],
      ['image/webp', webp(picture, many(webpChunk('ANMF', Buffer.alloc(0))))],
      ['image/heic', Buffer.concat([heif({ secret: SECRET }), many(heifBox('free'))])],
      ['image/heic', Buffer.concat([heif({ secret: SECRET }).subarray(0, 24), wipedOften, heifBox('mdat', Buffer.alloc(BYTES))])],
    ];
    const easy = Buffer.concat([openPng, pngChunk('IDAT', many(Buffer.from([1]))), pngChunk('IEND', Buffer.alloc(0))]);
    const cpu = (type: RasterType, image: Buffer): number => {
      const before = process.cpuUsage();
      tried(type, image);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    const usual = Math.max(...[1, 2, 3].map(() => cpu('image/png', easy)));

    for (const [type, image] of hostile) expect(cpu(type, image)).toBeLessThan(1000 + 10 * usual);
  });
});
