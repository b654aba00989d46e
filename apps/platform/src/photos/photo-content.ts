import { RASTER_HEAD_BYTES, rasterTypeOf, Refusal, type Input, type photos, type RasterType } from '@cds/contracts';

type Envelope = Input<typeof photos.addPhoto>['body'];

/** An image as it is stored: its type is what its bytes are. */
export interface Image {
  content_type: RasterType;
  bytes: Buffer;
}

/** Decodes a photo. The contract has checked that its first bytes are an image of the declared type. @gap D1-8 */
export function imageOf({ file, size }: Envelope): Image {
  const bytes = Buffer.from(file.slice(file.indexOf(',') + 1), 'base64');
  if (bytes.length !== size) throw new Refusal('request.invalid').because('size: must be the number of bytes of the photo');
  const content_type = rasterTypeOf(bytes.subarray(0, RASTER_HEAD_BYTES));
  if (!content_type) throw new Refusal('photos.type_unsupported');
  return { content_type, bytes };
}

/** A multiple of three bytes, which base64 writes without padding. */
const ENCODED_BYTES = 48 * 1024;

/** Yields the image as a data URI, the form in which files are stored. */
export function* dataUriOf({ content_type, bytes }: Image): Iterable<Buffer> {
  yield Buffer.from(`data:${content_type};base64,`);
  for (let from = 0; from < bytes.length; from += ENCODED_BYTES)
    yield Buffer.from(bytes.toString('base64', from, Math.min(from + ENCODED_BYTES, bytes.length)), 'latin1');
}
