import { SEALED_CHARS, type SentValue } from '@codase/contracts';
import { fieldTypes, SYSTEM_ROWS } from '@codase/domain/field-types';
import { checkAnswers, checkMandatory, rowsFor, type RequestedRow } from './answers.ts';

const TYPES = fieldTypes(SYSTEM_ROWS);
const SEALED = JSON.stringify({
  _enc: 1,
  k: Buffer.alloc(256).toString('base64'),
  iv: Buffer.alloc(12).toString('base64'),
  d: Buffer.alloc(16).toString('base64'),
});

const row = (slug: string, type: string, more: Partial<RequestedRow> = {}): RequestedRow => ({
  service_field_id: `slot_${slug}`,
  slug,
  type,
  one_time: false,
  mandatory: false,
  audience: 'both',
  verified: false,
  ...more,
});
const answer = (slug: string, more: Partial<SentValue> = {}): SentValue => ({
  slug,
  value: SEALED,
  live: true,
  source_private: true,
  source: null,
  ...more,
});
const from = (type: string | null) => ({ source: { field: 'own', type, verification: {} } });

const NOW = new Date('2026-03-02T09:30:00Z');
const ROWS = [
  row('name', 'text', { mandatory: true }),
  row('proof', 'legal_document'),
  row('portrait', 'photo'),
  row('scan', 'document'),
  row('vat', 'text', { audience: 'company' }),
];
const check =
  (...answers: SentValue[]) =>
  () =>
    checkAnswers(TYPES, ROWS, answers, NOW);

function faultOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('answers to request fields', () => {
  it('must come from a field of the requested type or a subtype @spec D1-2.5', () => {
    expect(check(answer('proof', from('passport')), answer('name', from('email')))).not.toThrow();
    expect(check(answer('proof', from('photo')))).toThrow('a field of type photo does not answer legal_document');
    expect(check(answer('name', from(null)))).toThrow('name: you have no field own');
  });

  const verified_hash = 'a'.repeat(64);
  const yesterday = '2026-03-01T09:30:00Z';
  it.each([
    ['not verified', {}, 'mail: your field own is not verified'],
    ['said to be verified, at no time', { verified_hash }, 'mail: your field own is not verified'],
    ['verified yesterday', { verified_hash, verified_at: yesterday }, undefined],
    ['verified without an end', { verified_hash, verified_at: yesterday, verified_expires_at: null }, undefined],
    ['verified until tomorrow', { verified_hash, verified_at: yesterday, verified_expires_at: '2026-03-03T00:00:00Z' }, undefined],
    [
      'verified until now',
      { verified_hash, verified_at: yesterday, verified_expires_at: NOW.toISOString() },
      'mail: the verification of your field own is over',
    ],
    ['verified 30 days ago', { verified_hash, verified_at: '2026-01-31T09:30:00Z' }, undefined],
    [
      'verified longer ago',
      { verified_hash, verified_at: '2026-01-31T09:29:59Z' },
      'mail: your field own was verified longer ago than 30 days',
    ],
  ])('to a field that requires a verified value are checked when their source is: %s @gap D1-2.6', (_, verification, fault) => {
    const wanted = [row('mail', 'email', { verified: true, verified_max_age_days: 30 })];
    const given = answer('mail', { source: { field: 'own', type: 'email', verification } });

    expect(faultOf(() => checkAnswers(TYPES, wanted, [given], NOW))?.slice(0, fault?.length)).toBe(fault);
    expect(() => checkAnswers(TYPES, [row('mail', 'email')], [given], NOW)).not.toThrow();
    expect(() => checkAnswers(TYPES, wanted, [answer('mail')], NOW)).toThrow('mail: the service takes a verified value alone');
  });

  it('may have a verification of any age when the request field has no limit @gap D1-2.6', () => {
    const old = { source: { field: 'own', type: 'email', verification: { verified_hash, verified_at: '2001-01-01T00:00:00Z' } } };
    expect(() => checkAnswers(TYPES, [row('mail', 'email', { verified: true })], [answer('mail', old)], NOW)).not.toThrow();
  });

  it('are accepted once for each request field, and only for existing ones', () => {
    expect(check(answer('name'), answer('name'))).toThrow('name: answer it once');
    expect(check(answer('shoes'))).toThrow('shoes: the service does not ask for this');
  });

  it('must be sealed, unless they are files from a source that is not private @spec D1-2.8', () => {
    const page = { file: 'data:image/gif;base64,R0lGODlhAQABAA==', original_name: 'page', mime_type: 'image/gif', size: 10 };
    const clear = JSON.stringify({ pages: [page], document_number: 'X1', expiry_date: '2030-01-01', issuing_country: 'SE' });

    expect(check(answer('proof', { value: clear, source_private: false }))).not.toThrow();
    expect(check(answer('name', { value: 'Ana' }))).toThrow(/^name: must be a wrapper/);
    expect(check(answer('name', { value: 'x'.repeat(SEALED_CHARS + 1) }))).toThrow(/^name: must have at most 262144 characters/);
    expect(check(answer('proof', { value: clear }))).toThrow(expect.objectContaining({ key: 'contact_data.encryption_required' }));
    expect(check(answer('name', { value: 'Ana', source_private: false }))).toThrow(
      expect.objectContaining({ key: 'contact_data.encryption_required' }),
    );
  });

  it.each(['', '""', 'null', '{}', '[]', 'scan', '{"pages":[]}', '"\ud800"'])(
    'are refused as plaintext files when they are %j @spec D1-2.8',
    (value) => {
      for (const slug of ['proof', 'portrait']) {
        expect(check(answer(slug, { value, source_private: false }))).toThrow(
          expect.objectContaining({ key: 'company_connections.values_invalid' }),
        );
      }
    },
  );

  it('in plaintext are checked against the requested type, regardless of the type of their source @gap D1-2.5', () => {
    const scan = { file: 'data:text/plain;base64,aGVsbG8=', original_name: 'scan', mime_type: 'text/plain', size: 5 };
    const given = { value: JSON.stringify(scan), source_private: false };

    expect(check(answer('scan', { ...given, ...from('pdf_document') }))).not.toThrow();
    expect(() => checkAnswers(TYPES, [row('contract', 'pdf_document')], [answer('contract', given)], NOW)).toThrow(
      'this is no file in the clear',
    );
  });

  it('are complete when every mandatory field has one @spec D1-2.6', () => {
    expect(() => checkMandatory(ROWS, [answer('name')])).not.toThrow();
    expect(() => checkMandatory(ROWS, [answer('proof')])).toThrow('name: the service requires it');
  });

  it('are requested of persons, companies or both by the audience of the field @spec D1-2.6', () => {
    expect(rowsFor(ROWS, 'person').map(({ slug }) => slug)).toEqual(['name', 'proof', 'portrait', 'scan']);
    expect(rowsFor(ROWS, 'company').map(({ slug }) => slug)).toEqual(['name', 'proof', 'portrait', 'scan', 'vat']);
  });
});
