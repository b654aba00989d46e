import { Refusal } from '@codase/contracts';

/** The most bytes of the headers of a part of a form. */
const MAX_HEAD_BYTES = 4096;
const [DASHES, LINE, HEAD_END] = [Buffer.from('--'), Buffer.from('\r\n'), Buffer.from('\r\n\r\n')];

/**
 * Reads a body that is one file: its bytes as they are, or a form of a browser that has the file in its one part. The file itself is not
 * searched: the form must begin and end with its boundary, and all bytes between belong to the file.
 */
export function readUpload(contentType: string | undefined, body: Buffer): Buffer {
  const type = contentType?.split(';')[0]!.trim().toLowerCase() ?? '';
  if (type === 'multipart/form-data') return filePart(boundaryOf(contentType!), body);
  if (type === 'application/pdf' || type === 'application/octet-stream') return body;
  throw new Refusal('request.format_unsupported').because(
    'Content-Type: must be application/pdf, or multipart/form-data with the file in its one part',
  );
}

/** RFC 2046: at most 70 characters. */
function boundaryOf(contentType: string): Buffer {
  const boundary = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(contentType);
  const text = boundary?.[1] ?? boundary?.[2];
  if (text === undefined) throw notOneFile();
  return Buffer.from(text, 'latin1');
}

function filePart(boundary: Buffer, body: Buffer): Buffer {
  const first = Buffer.concat([DASHES, boundary, LINE]);
  const last = Buffer.concat([LINE, DASHES, boundary, DASHES]);
  const headEnd = body.subarray(0, MAX_HEAD_BYTES).indexOf(HEAD_END);
  const isBare = body.subarray(-LINE.length).equals(LINE); // some forms end with one more line break
  const end = body.length - (isBare ? LINE.length : 0) - last.length;
  const isForm = body.subarray(0, first.length).equals(first) && body.subarray(end, end + last.length).equals(last);
  const start = headEnd + HEAD_END.length;
  if (!isForm || headEnd < 0 || end < start || !/^content-disposition:.*;\s*filename/im.test(body.toString('latin1', 0, headEnd)))
    throw notOneFile();
  return body.subarray(start, end);
}

const notOneFile = () => new Refusal('request.invalid').because('body: must be a form with one file and nothing else');
