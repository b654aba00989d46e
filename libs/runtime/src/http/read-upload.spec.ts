import { Refusal } from '@codase/contracts';
import { readUpload } from './read-upload.ts';

const FILE = Buffer.from([0x25, 0x50, 0x44, 0x46, 0x0d, 0x0a, 0xff, 0x00, 0x0d, 0x0a, 0x0d, 0x0a, 0x2d, 0x2d]);
const HEAD = 'Content-Disposition: form-data; name="file"; filename="a.pdf"\r\nContent-Type: application/pdf';
const form = (head: string, file: Buffer, end = '\r\n--b0--\r\n') =>
  Buffer.concat([Buffer.from(`--b0\r\n${head}\r\n\r\n`), file, Buffer.from(end)]);
const TYPE = 'multipart/form-data; boundary=b0';

describe('an uploaded file', () => {
  it.each([
    ['as it is', 'application/pdf', FILE],
    ['of no type', 'Application/Octet-Stream; x=1', FILE],
    ['in a form', TYPE, form(HEAD, FILE)],
    ['in a form whose boundary is quoted', 'multipart/form-data; charset=utf-8; boundary="b0"', form(HEAD, FILE)],
    ['in a form that ends at its boundary', TYPE, form(HEAD, FILE, '\r\n--b0--')],
  ])('is read from the request body %s', (_, type, body) => {
    expect(readUpload(type, body).equals(FILE)).toBe(true);
  });

  it('may be empty; the endpoint decides whether to refuse it', () => {
    expect(readUpload(TYPE, form(HEAD, Buffer.alloc(0)))).toHaveLength(0);
  });

  it('is read from the form data that browsers send', async () => {
    const data = new FormData();
    data.append('file', new Blob([FILE]), 'ä "quoted".pdf');
    const sent = new Response(data);

    expect(readUpload(sent.headers.get('content-type')!, Buffer.from(await sent.arrayBuffer())).equals(FILE)).toBe(true);
  });

  it.each([
    ['a type of its own', 'text/csv', FILE, 'request.format_unsupported'],
    ['no type', undefined, FILE, 'request.format_unsupported'],
    ['no boundary', 'multipart/form-data', form(HEAD, FILE), 'request.invalid'],
    ['another boundary', 'multipart/form-data; boundary=b1', form(HEAD, FILE), 'request.invalid'],
    ['a boundary without end', `multipart/form-data; boundary=${'b'.repeat(71)}`, form(HEAD, FILE), 'request.invalid'],
    ['a field that is no file', TYPE, form('Content-Disposition: form-data; name="file"', FILE), 'request.invalid'],
    ['a form that breaks off', TYPE, form(HEAD, FILE, ''), 'request.invalid'],
    ['a head without end', TYPE, form(HEAD.padEnd(5000, 'x'), FILE), 'request.invalid'],
    ['nothing in the form', TYPE, Buffer.from('--b0--'), 'request.invalid'],
    ['an empty form', TYPE, Buffer.alloc(0), 'request.invalid'],
    ['boundaries that overlap', TYPE, Buffer.from(`--b0\r\n${HEAD}\r\n\r\n--b0--`), 'request.invalid'],
  ])('is refused with %s', (_, type, body, key) => {
    expect(() => readUpload(type, body)).toThrow(Refusal);
    expect(() => readUpload(type, body)).toThrow(expect.objectContaining({ key }));
  });
});
