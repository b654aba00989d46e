import { createHash } from 'node:crypto';
import { fieldTypes, SYSTEM_ROWS } from '@codase/domain/field-types';
import { digestOf, fileDigest, servedFile } from './shared-file.ts';

const TYPES = fieldTypes(SYSTEM_ROWS);
const PHOTO = JSON.stringify({ file: 'data:image/png;base64,cGl4ZWxz', original_name: 'me.png', mime_type: 'image/png', size: 6 });
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('binary answer @spec D1-2.8', () => {
  it('is served sealed, as an envelope, or as plain bytes', () => {
    expect(servedFile(TYPES.resolve('photo'), true, 'wrapper')).toEqual({ encrypted: true, value: 'wrapper' });
    expect(servedFile(TYPES.resolve('passport'), false, 'envelope')).toEqual({ encrypted: false, value: 'envelope' });
    expect(servedFile(TYPES.resolve('photo'), false, PHOTO)).toEqual({ content_type: 'image/png', bytes: Buffer.from('pixels') });
  });

  it.each(['application/json', 'application/xml', 'text/xml', 'Application/JSON; charset=utf-8'])(
    'is served in its envelope when its type is %s, because readers would mistake its bytes for another form',
    (mime_type) => {
      const file = JSON.stringify({ file: `data:${mime_type};base64,e30=`, original_name: 'mine', mime_type, size: 2 });

      expect(servedFile(TYPES.resolve('document'), false, file)).toEqual({ encrypted: false, value: file });
      expect(fileDigest(TYPES, 'document', false, file)).toBe(sha256(JSON.stringify({ encrypted: false, value: file })));
    },
  );

  it('of an unknown field type is served in its envelope', () => {
    expect(servedFile(undefined, false, PHOTO)).toEqual({ encrypted: false, value: PHOTO });
  });

  it('has the digest of the bytes that are served', () => {
    expect(digestOf(servedFile(TYPES.resolve('photo'), false, PHOTO))).toBe(sha256('pixels'));
    expect(fileDigest(TYPES, 'photo', true, 'wrapper')).toBe(sha256('{"encrypted":true,"value":"wrapper"}'));
    expect(fileDigest(TYPES, 'email', true, 'wrapper')).toBeNull();
  });
});
