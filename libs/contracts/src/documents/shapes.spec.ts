import { refused } from '../core/refused.check.ts';
import { BOX, FILE, ONE_TIME_KEY, SEALED, SHA256 } from '../core/samples.ts';
import { AcceptAct, DocumentChange, Metadata, NewDocument, NewDocumentFile, SignAct } from './shapes.ts';

const target = { connection_id: 'conn_7b20' };
const personal = { name: 'Offer', payload_kind: 'file', target, file: SEALED };
const broadcast = { name: 'Terms', payload_kind: 'file', file: FILE };

describe('a new document @spec D1-2.12', () => {
  it.each([
    ['sealed to its one reader', personal, undefined],
    ['in the clear for all', broadcast, undefined],
    ['as JSON for all', { name: 'Terms', payload_kind: 'json', value: '{"a":1}' }, undefined],
    ['in the clear for one reader', { ...personal, file: FILE }, 'contact_data.encryption_required'],
    ['as clear JSON for one reader', { name: 'Offer', payload_kind: 'json', target, value: '{"a":1}' }, 'contact_data.encryption_required'],
    ['as a text that is no wrapper', { ...personal, file: 'JVBERi0xLjcK' }, 'contact_data.encryption_required'],
    ['as an agreement for all', { ...broadcast, kind: 'agreement' }, 'documents.contract_requires_person'],
    ['to be signed by all', { ...broadcast, requires_signature: true }, 'documents.contract_requires_person'],
    ['to be accepted by all', { ...broadcast, requires_acceptance: true }, 'documents.contract_requires_person'],
    ['private and for all', { ...broadcast, is_private: true }, 'request.invalid'],
    ['without a payload', { name: 'Terms', payload_kind: 'file' }, 'request.invalid'],
    ['with the payload of the other kind', { name: 'Terms', payload_kind: 'json', file: FILE }, 'request.invalid'],
    ['with two payloads', { ...broadcast, value: '{}' }, 'request.invalid'],
    ['with two targets', { ...personal, target: { ...target, share_code: 'K7M2QX' } }, 'request.invalid'],
    ['sealed for all', { ...broadcast, file: SEALED }, 'request.invalid'],
    ['of another type than its data URI', { ...broadcast, file: { ...FILE, mime_type: 'text/html' } }, 'request.invalid'],
    ['that is no base64', { ...broadcast, file: { ...FILE, file: `${FILE.file}=` } }, 'request.invalid'],
    ['too large for all', { ...broadcast, file: { ...FILE, size: 25 * 1024 * 1024 + 1 } }, 'documents.too_large'],
    ['as text that is no JSON for all', { name: 'Terms', payload_kind: 'json', value: 'a' }, 'request.invalid'],
    ['a file to sign without its digest', { ...personal, requires_signature: true }, 'request.invalid'],
    ['a file to accept without its digest', { ...personal, requires_acceptance: true }, 'request.invalid'],
    ['a file to sign with its digest', { ...personal, requires_signature: true, plain_sha256: SHA256 }, undefined],
    [
      'JSON with the digest of a file',
      { name: 'Offer', payload_kind: 'json', target, value: SEALED, plain_sha256: SHA256 },
      'request.invalid',
    ],
    ["with a status of the sender's choice", { ...personal, status: 'active' }, 'request.invalid'],
  ])('is validated by target, kind and payload: %s', (_, document, key) => {
    expect(refused(NewDocument, document)).toBe(key);
  });

  it('has up to 50 scalar metadata members, of which can_be_cancelled_in_app defaults to false', () => {
    expect(Metadata.parse({ order: 7 })).toEqual({ order: 7, can_be_cancelled_in_app: false });
    expect(refused(Metadata, { nested: {} })).toBe('request.invalid');
    expect(refused(Metadata, Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`m${i}`, i])))).toBe('request.invalid');
  });
});

describe('a change of a document @gap D1-3.3', () => {
  it('requires cancel_effective_date with the status active_but_ending and rejects it with any other', () => {
    expect(refused(DocumentChange, { status: 'active_but_ending', cancel_effective_date: '2026-12-31' })).toBeUndefined();
    expect(refused(DocumentChange, { status: 'active_but_ending' })).toBe('request.invalid');
    expect(refused(DocumentChange, { status: 'ended', cancel_effective_date: '2026-12-31' })).toBe('request.invalid');
  });

  it('accepts a new file that is sealed, or in the clear when it matches its envelope', () => {
    expect(refused(NewDocumentFile, { file: SEALED })).toBeUndefined();
    expect(refused(NewDocumentFile, { file: FILE })).toBeUndefined();
    expect(refused(NewDocumentFile, { file: { ...FILE, mime_type: 'text/html' } })).toBe('request.invalid');
    expect(refused(NewDocumentFile, { file: { ...FILE, size: 25 * 1024 * 1024 + 1 } })).toBe('documents.too_large');
  });
});

describe('an act of a person on a document', () => {
  const signature = { method: 'biometric', signer_first_name: 'Ada', signer_last_name: 'Example' };

  it('carries the file and its one-time key together or neither', () => {
    expect(refused(SignAct, signature)).toBeUndefined();
    expect(refused(SignAct, { ...signature, otk: ONE_TIME_KEY, file: BOX })).toBeUndefined();
    expect(refused(SignAct, { ...signature, file: BOX })).toBe('request.invalid');
    expect(refused(AcceptAct, { otk: ONE_TIME_KEY })).toBe('request.invalid');
  });
});
