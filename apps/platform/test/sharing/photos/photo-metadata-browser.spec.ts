import type { RasterType } from '@codase/contracts';
import { Chromium, findChromium } from '@codase/testing';
import { withoutMetadata } from '../../../src/sharing/photos/metadata/without-metadata.ts';
import { exif, jpegMetadata, pngChunk, webp, webpChunk, webpExtended, webpPicture } from '../../support/images.ts';

const found = findChromium();
const SECRET = 'N 59.3293 E 18.0686';
const TURNED = 6;

/** Draws a picture that is wider than high, and no two corners of it alike. */
const DRAWS = `
  async function drawn(type) {
    const canvas = Object.assign(document.createElement('canvas'), { width: 96, height: 48 });
    const pen = canvas.getContext('2d');
    for (const [nth, colour] of ['red', 'lime', 'blue', 'yellow'].entries()) {
      pen.fillStyle = colour;
      pen.fillRect((nth % 2) * 48, Math.floor(nth / 2) * 24, 48, 24);
    }
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, type, 0.9));
    return btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())));
  }
  async function shown(type, base64) {
    const image = Object.assign(new Image(), { src: 'data:' + type + ';base64,' + base64 });
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: image.naturalWidth, height: image.naturalHeight });
    canvas.getContext('2d').drawImage(image, 0, 0);
    return [image.naturalWidth, image.naturalHeight, canvas.toDataURL()].join(' ');
  }`;

/** What a camera adds to the picture that the browser wrote. */
const TAKEN: Partial<Record<RasterType, (image: Buffer) => Buffer>> = {
  'image/jpeg': (image) => Buffer.concat([image.subarray(0, 2), ...jpegMetadata(SECRET, TURNED), image.subarray(2), Buffer.from(SECRET)]),
  'image/png': (image) => Buffer.concat([image.subarray(0, 33), pngChunk('tEXt', Buffer.from(SECRET)), image.subarray(33)]),
  'image/webp': (image) => {
    const size = webpExtended(0x08);
    size.set([95, 0, 0, 47, 0, 0], 12);
    const isExtended = image.toString('latin1', 12, 16) === 'VP8X';
    return webp(size, image.subarray(isExtended ? 30 : 12), webpChunk('EXIF', exif(TURNED, SECRET)));
  },
};

if (found) {
  describe(`an image without its metadata, in ${found.version} @gap D1-5.8`, () => {
    let browser: Chromium;
    beforeAll(async () => {
      browser = await Chromium.open(found.command);
      await browser.runs(DRAWS);
    });
    afterAll(() => browser?.close());

    const shown = (type: string, image: Buffer) => browser.evaluate(`shown('${type}', '${image.toString('base64')}')`);

    it.each(Object.keys(TAKEN) as RasterType[])('looks the same in the browser as before: %s', async (type) => {
      const drawn = Buffer.from((await browser.evaluate(`drawn('${type}')`)) as string, 'base64');
      const taken = TAKEN[type]!(drawn);
      const bare = withoutMetadata(type, taken);

      expect(taken.includes(SECRET)).toBe(true);
      expect(bare.includes(SECRET)).toBe(false);
      expect(await shown(type, bare)).toBe(await shown(type, taken));
      expect(await shown(type, withoutMetadata(type, drawn))).toBe(await shown(type, drawn));
    });

    it('keeps the orientation set by the camera', async () => {
      const drawn = Buffer.from((await browser.evaluate(`drawn('image/jpeg')`)) as string, 'base64');
      const bare = withoutMetadata('image/jpeg', TAKEN['image/jpeg']!(drawn));

      expect(await shown('image/jpeg', bare)).toMatch(/^48 96 /);
      expect(await shown('image/jpeg', drawn)).toMatch(/^96 48 /);
    });
  });
} else {
  it('skips the browser test without Chromium or Chrome, and checks only that metadata is removed', () => {
    const photo = webp(webpExtended(0x08), webpPicture, webpChunk('EXIF', exif(TURNED, SECRET)));

    expect(withoutMetadata('image/webp', photo).includes(SECRET)).toBe(false);
  });
}
