import { refused } from '../core/refused.check.ts';
import { BOX, FILE, ONE_TIME_KEY, SEALED } from '../core/samples.ts';
import { AcceptAct, Metadata, NewDocument, SignAct } from './shapes.ts';

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
    ["with a status of the sender's choice", { ...personal, status: 'active' }, 'request.invalid'],
  ])('%s', (_, document, key) => {
    expect(refused(NewDocument, document)).toBe(key);
  });

  it('has metadata of scalars, and can not be cancelled in the app unless told', () => {
    expect(Metadata.parse({ order: 7 })).toEqual({ order: 7, can_be_cancelled_in_app: false });
    expect(refused(Metadata, { nested: {} })).toBe('request.invalid');
    expect(refused(Metadata, Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`m${i}`, i])))).toBe('request.invalid');
  });
});

describe('an act on a document', () => {
  const signature = { method: 'biometric', signer_first_name: 'Ada', signer_last_name: 'Example' };

  it('brings the file and its key together, or neither', () => {
    expect(refused(SignAct, signature)).toBeUndefined();
    expect(refused(SignAct, { ...signature, otk: ONE_TIME_KEY, file: BOX })).toBeUndefined();
    expect(refused(SignAct, { ...signature, file: BOX })).toBe('request.invalid');
    expect(refused(AcceptAct, { otk: ONE_TIME_KEY })).toBe('request.invalid');
  });
});
