import { containsPdf, isPdf } from './pdf.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const envelope = (mime: string, text: string) => ({ file: `data:${mime};base64,${Buffer.from(text).toString('base64')}` });

describe('a PDF @spec D1-2.5', () => {
  it('is recognised by its MIME type and its header', () => {
    expect(isPdf('application/pdf', bytes('%PDF-1.7\n…'))).toBe(true);
    expect(isPdf('application/pdf', bytes('%PDF-'))).toBe(true);
  });

  it.each([
    ['another type', 'image/png', '%PDF-1.7'],
    ['another header', 'application/pdf', '%PNG-1.7'],
    ['something before the header', 'application/pdf', ' %PDF-1.7'],
    ['half a header', 'application/pdf', '%PDF'],
    ['nothing', 'application/pdf', ''],
  ])('is not recognised with %s', (_, mime, text) => {
    expect(isPdf(mime, bytes(text))).toBe(false);
    expect(containsPdf(envelope(mime, text))).toBe(false);
  });

  it.each(['%PDF-', '%PDF-1', '%PDF-1.7', `%PDF-1.7${'x'.repeat(99)}`])('is recognised in an envelope by its first bytes: %s', (text) => {
    expect(containsPdf(envelope('application/pdf', text))).toBe(true);
  });

  it('is not recognised in an envelope without a file', () => {
    expect(containsPdf({})).toBe(false);
  });
});
