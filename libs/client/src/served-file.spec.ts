import { fileInEnvelope } from './served-file.ts';

const envelope = (change: object = {}) =>
  JSON.stringify({ file: 'data:image/png;base64,cGl4ZWxz', original_name: 'a.png', mime_type: 'image/png', size: 6, ...change });

describe('a file in its envelope @spec D1-2.8', () => {
  it('is returned as its bytes, name and type', () => {
    expect(fileInEnvelope(envelope())).toEqual({ bytes: Buffer.from('pixels'), name: 'a.png', type: 'image/png' });
  });

  it('is returned as its envelope when it has pages or additional members', () => {
    const scan = JSON.parse(envelope({ taken_on: '2026-03-02' })) as object;
    for (const more of [scan, { pages: [], document_number: 'X1' }])
      expect(fileInEnvelope(JSON.stringify(more))).toEqual({ envelope: more });
  });

  it('is refused with more values than a file has, however short they are', () => {
    const pages = (values: number) => `{"document_number":"a\\"[{,","pages":[${Array.from({ length: values }, () => '""').join()}]}`;
    expect(fileInEnvelope(pages(5000))).toMatchObject({ envelope: { document_number: 'a"[{,' } });
    for (const text of [pages(20_000), `{"x":${'['.repeat(20_000)}`, `{${'"x":0,'.repeat(20_000)}"x":0}`])
      expect(() => fileInEnvelope(text)).toThrow(expect.objectContaining({ key: 'decryptor.unreadable' }));
  });

  it('can have any text in its strings', () => {
    const more = { pages: [], note: '[{,'.repeat(20_000), end: '\\' };
    expect(fileInEnvelope(JSON.stringify(more))).toEqual({ envelope: more });
  });

  it.each(['no JSON', '[]', 'null', envelope({ size: 5 }), envelope({ mime_type: 'image/jpeg' }), envelope({ file: 1 })])(
    'is unreadable when it is %s',
    (text) => {
      expect(() => fileInEnvelope(text)).toThrow(expect.objectContaining({ key: 'decryptor.unreadable' }));
    },
  );
});
