import type { SentValue } from '@cds/contracts';
import { fieldTypes, SYSTEM_ROWS } from '@cds/domain/field-types';
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
    checkAnswers(TYPES, ROWS, answers);

describe('answers to a request', () => {
  it('come from a field of the type that was asked for, or of one below it @spec D1-2.5', () => {
    expect(check(answer('proof', from('passport')), answer('name', from('email')))).not.toThrow();
    expect(check(answer('proof', from('photo')))).toThrow('a field of type photo does not answer legal_document');
    expect(check(answer('name', from(null)))).toThrow('name: you have no field own');
  });

  it('are given once, to rows that were asked', () => {
    expect(check(answer('name'), answer('name'))).toThrow('name: answer it once');
    expect(check(answer('shoes'))).toThrow('shoes: the service does not ask for this');
  });

  it('are sealed, unless they are files of a source that is not private @spec D1-2.8', () => {
    const page = { file: 'data:image/gif;base64,R0lGODlhAQABAA==', original_name: 'page', mime_type: 'image/gif', size: 10 };
    const clear = JSON.stringify({ pages: [page], document_number: 'X1', expiry_date: '2030-01-01', issuing_country: 'SE' });

    expect(check(answer('proof', { value: clear, source_private: false }))).not.toThrow();
    expect(check(answer('proof', { value: clear }))).toThrow(expect.objectContaining({ key: 'contact_data.encryption_required' }));
    expect(check(answer('name', { value: 'Ana', source_private: false }))).toThrow(
      expect.objectContaining({ key: 'contact_data.encryption_required' }),
    );
  });

  it.each(['', '""', 'null', '{}', '[]', 'scan', '{"pages":[]}', '"\ud800"'])(
    'are no file in the clear when they are %j @spec D1-2.8',
    (value) => {
      for (const slug of ['proof', 'portrait']) {
        expect(check(answer(slug, { value, source_private: false }))).toThrow(
          expect.objectContaining({ key: 'company_connections.values_invalid' }),
        );
      }
    },
  );

  it('in the clear are judged by the type that was asked for, whatever their source is @gap D1-2.5', () => {
    const scan = { file: 'data:text/plain;base64,aGVsbG8=', original_name: 'scan', mime_type: 'text/plain', size: 5 };
    const given = { value: JSON.stringify(scan), source_private: false };

    expect(check(answer('scan', { ...given, ...from('pdf_document') }))).not.toThrow();
    expect(() => checkAnswers(TYPES, [row('contract', 'pdf_document')], [answer('contract', given)])).toThrow(
      'this is no file in the clear',
    );
  });

  it('are complete when every mandatory row has one @spec D1-2.6', () => {
    expect(() => checkMandatory(ROWS, [answer('name')])).not.toThrow();
    expect(() => checkMandatory(ROWS, [answer('proof')])).toThrow('name: the service requires it');
  });

  it('are asked of persons or companies, or both @spec D1-2.6', () => {
    expect(rowsFor(ROWS, 'person').map(({ slug }) => slug)).toEqual(['name', 'proof', 'portrait', 'scan']);
    expect(rowsFor(ROWS, 'company').map(({ slug }) => slug)).toEqual(['name', 'proof', 'portrait', 'scan', 'vat']);
  });
});
