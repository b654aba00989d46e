import { RASTER_HEAD_BYTES, rasterTypeOf, type RasterType } from '@codase/contracts';
import { gifWithoutMetadata } from './gif.ts';
import { heifWithoutMetadata } from './heif.ts';
import { UnreadableImage } from './image-parts.ts';
import { jpegWithoutMetadata } from './jpeg.ts';
import { pngWithoutMetadata } from './png.ts';
import { webpWithoutMetadata } from './webp.ts';

const OF_TYPE: Readonly<Record<RasterType, (image: Buffer) => Buffer>> = {
  'image/jpeg': jpegWithoutMetadata,
  'image/png': pngWithoutMetadata,
  'image/webp': webpWithoutMetadata,
  'image/gif': gifWithoutMetadata,
  'image/avif': heifWithoutMetadata,
  'image/heic': heifWithoutMetadata,
};

/**
 * Returns an image without what does not show it: where and when it was taken, by which camera and program, comments, and whatever follows
 * its end. Its colours and how it is turned stay. Takes time in proportion to its length. Throws `UnreadableImage`. @gap D1-5.8
 */
export function withoutMetadata(type: RasterType, image: Buffer): Buffer {
  const bare = read(() => OF_TYPE[type](image));
  if (rasterTypeOf(bare.subarray(0, RASTER_HEAD_BYTES)) !== type) throw new UnreadableImage();
  return bare;
}

/** A number that was to be read behind the end of the image is no fault of ours. */
function read(work: () => Buffer): Buffer {
  try {
    return work();
  } catch (error) {
    throw error instanceof RangeError ? new UnreadableImage() : error;
  }
}
