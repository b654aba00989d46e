import { contentOf, ENVELOPE_MEMBERS, fileFault, pagesFault } from './envelope.ts';
import { DOCUMENT_PAGES, FILE_NAME_CHARS } from './limits.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const four = (mime: string) => `data:${mime};base64,${base64('four')}`;
const GIF = 'GIF89a\x01\0\x01\0';
const file = (changes: object = {}) => ({
  file: `data:image/gif;base64,${base64(GIF)}`,
  original_name: 'a.gif',
  mime_type: 'image/gif',
  size: GIF.length,
  ...changes,
});

describe('a file envelope @spec D1-2.5 @spec D2-4.2', () => {
  it.each(['', 'f', 'fo', 'foo', 'four', 'fives'])('has the size of its decoded bytes: %j', (text) => {
    expect(contentOf(`data:text/plain;base64,${base64(text)}`)?.size).toBe(text.length || undefined);
  });

  it('is parsed from its data URI into MIME type, size and base64', () => {
    expect(contentOf(four('application/x.y+z-1'))).toEqual({ mime: 'application/x.y+z-1', size: 4, base64: 'Zm91cg==' });
  });

  it.each([
    ['plain text', 'four'],
    ['no base64', 'data:image/png,four'],
    ['no type', 'data:;base64,Zm91cg=='],
    ['half a type', 'data:image;base64,Zm91cg=='],
    ['an upper-case type', 'data:IMAGE/png;base64,Zm91cg=='],
    ['an endless type', `data:image/${'x'.repeat(101)};base64,Zm91cg==`],
    ['a parameter', 'data:text/plain;charset=utf-8;base64,Zm91cg=='],
    ['something before', ' data:image/png;base64,Zm91cg=='],
    ['no padding', 'data:image/png;base64,Zm91cg'],
    ['too much padding', 'data:image/png;base64,Z==='],
    ['padding inside', 'data:image/png;base64,Zm==cg=='],
    ['the URL alphabet', 'data:image/png;base64,Zm91-_=='],
    ['a line break', 'data:image/png;base64,Zm91\ncg='],
    ['a number', 4],
    ['a list', ['data:image/png;base64,Zm91cg==']],
    ['nothing', undefined],
  ])('has no readable content when its data URI has %s', (_, uri) => {
    expect(contentOf(uri)).toBeUndefined();
  });

  it('is accepted when its members match the file', () => {
    expect(fileFault(file(), 'photo')).toBeUndefined();
    expect(fileFault(file(), 'document')).toBeUndefined();
    expect(fileFault(file({ original_name: 'x'.repeat(FILE_NAME_CHARS) }), 'document')).toBeUndefined();
  });

  it.each([
    ['another type', { mime_type: 'image/jpeg' }, 'file', 'not_a_file'],
    ['another size', { size: 5 }, 'file', 'not_a_file'],
    ['a size in text', { size: '4' }, 'file', 'not_a_file'],
    ['no file', { file: undefined }, 'file', 'not_a_file'],
    ['no name', { original_name: undefined }, 'original_name', 'not_a_file_name'],
    ['an empty name', { original_name: '' }, 'original_name', 'not_a_file_name'],
    ['an endless name', { original_name: 'x'.repeat(FILE_NAME_CHARS + 1) }, 'original_name', 'not_a_file_name'],
  ])('is rejected with %s', (_, changes, path, code) => {
    expect(fileFault(file(changes), 'document')).toMatchObject({ path, code });
  });

  it('must be an image on the photo lane @gap D1-2.5', () => {
    const note = file({ file: four('text/plain'), mime_type: 'text/plain', size: 4 });

    expect(fileFault(note, 'document')).toBeUndefined();
    expect(fileFault(note, 'photo')).toMatchObject({ path: 'file', code: 'not_an_image' });
  });

  const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const PIXELS = 'not a pixel';
  it.each([
    ['a drawing with a script', 'image/svg+xml', SVG],
    ['a drawing that is declared as a raster', 'image/png', SVG],
    ['a page that is declared as a raster', 'image/jpeg', '<html><script>alert(1)</script>'],
    ['anything else that is declared as a raster', 'image/webp', PIXELS],
    ['a raster that is declared as another', 'image/png', GIF],
    ['a signature without an image', 'image/gif', 'GIF89a'],
    ['an image without pixels', 'image/gif', 'GIF89a\0\0\0\0'],
  ])('is rejected when its declared image type does not match its bytes: %s @gap D1-8', (_, mime_type, text) => {
    const wrong = file({ file: `data:${mime_type};base64,${base64(text)}`, mime_type, size: text.length });

    for (const lane of ['photo', 'document'] as const) expect(fileFault(wrong, lane)).toMatchObject({ path: 'file', code: 'not_an_image' });
    expect(pagesFault({ pages: [wrong] })).toMatchObject({ path: 'pages.0.file', code: 'not_an_image' });
  });

  it('can be read with thirty megabytes of content', () => {
    const big = 'A'.repeat(40_000_000);
    expect(contentOf(`data:image/png;base64,${big}`)?.size).toBe(30_000_000);
  });
});

describe('the pages of an ID document @spec D1-2.5 @gap D1-2.5', () => {
  it('may be one or more files, up to the maximum count', () => {
    expect(pagesFault({ pages: [file(), file()] })).toBeUndefined();
    expect(pagesFault({ pages: Array.from({ length: DOCUMENT_PAGES }, () => file()) })).toBeUndefined();
    expect(pagesFault({ pages: [file({ file: four('application/pdf'), mime_type: 'application/pdf', size: 4 })] })).toBeUndefined();
  });

  it.each([
    ['none', { pages: [] }],
    ['too many', { pages: Array.from({ length: DOCUMENT_PAGES + 1 }, () => file()) }],
    ['no list', { pages: file() }],
    ['nothing', {}],
  ])('are rejected when they are %s', (_, value) => {
    expect(pagesFault(value)).toMatchObject({ path: 'pages', code: 'not_pages' });
  });

  it('are reported by the first invalid page', () => {
    const pages = [file(), file({ size: 1 }), file({ original_name: '' })];

    expect(pagesFault({ pages })).toMatchObject({ path: 'pages.1.file', code: 'not_a_file' });
    expect(pagesFault({ pages: ['x'] })).toMatchObject({ path: 'pages.0', code: 'not_an_object' });
  });
});

it('ENVELOPE_MEMBERS lists the members of a file envelope and pages', () => {
  expect(ENVELOPE_MEMBERS).toEqual([...Object.keys(file()), 'pages']);
});
