import { RASTER_HEAD_BYTES, rasterTypeOf, Refusal, type Input, type photos, type RasterType } from '@codase/contracts';
import { TooManyPixels, UnreadableImage } from './metadata/image-parts.ts';
import { withoutMetadata } from './metadata/without-metadata.ts';

type Envelope = Input<typeof photos.addPhoto>['body'];

/** An image as it is stored: its type is what its bytes are, and nothing says where and when it was taken. */
export interface Image {
  content_type: RasterType;
  bytes: Buffer;
}

/** Decodes a photo, and leaves out its metadata. The contract has checked its type by its first bytes. @gap D1-8 */
export function imageOf({ file, size }: Envelope): Image {
  const bytes = Buffer.from(file.slice(file.indexOf(',') + 1), 'base64');
  if (bytes.length !== size) throw new Refusal('request.invalid').because('size: must be the number of bytes of the photo');
  const content_type = rasterTypeOf(bytes.subarray(0, RASTER_HEAD_BYTES));
  if (!content_type) throw new Refusal('photos.type_unsupported');
  return { content_type, bytes: bare(content_type, bytes) };
}

function bare(type: RasterType, bytes: Buffer): Buffer {
  try {
    return withoutMetadata(type, bytes);
  } catch (error) {
    if (error instanceof TooManyPixels) throw new Refusal('photos.type_unsupported').because(`file: ${error.message}`);
    if (!(error instanceof UnreadableImage)) throw error;
    throw new Refusal('photos.type_unsupported').because('file: the image is damaged or cut off, so its metadata cannot be removed');
  }
}

/** A multiple of three bytes, which base64 writes without padding. */
const ENCODED_BYTES = 48 * 1024;

/** Yields the image as a data URI, the form in which files are stored. */
export function* dataUriOf({ content_type, bytes }: Image): Iterable<Buffer> {
  yield Buffer.from(`data:${content_type};base64,`);
  for (let from = 0; from < bytes.length; from += ENCODED_BYTES)
    yield Buffer.from(bytes.toString('base64', from, Math.min(from + ENCODED_BYTES, bytes.length)), 'latin1');
}
