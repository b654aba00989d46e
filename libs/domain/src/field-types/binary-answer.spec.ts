import { binaryAnswerShape } from './binary-answer.ts';
import { fieldTypes } from './field-types.ts';
import { entry, row } from './row.ts';
import { SYSTEM_ROWS } from './system-rows.ts';

const types = fieldTypes([...SYSTEM_ROWS, row('scan', 'document', { fields: [entry('taken_on', { input: 'date' })] })]);
const ID_DOCUMENTS = ['legal_document', 'proof_of_identity', 'passport', 'photo_id', 'drivers_license', 'residence_permit'];
const shapes = (type: string) => [false, true].map((isPrivate) => binaryAnswerShape(types.resolve(type)!, isPrivate));

describe('a binary answer @spec D1-2.8', () => {
  it.each(ID_DOCUMENTS)('is delivered as an envelope, or sealed when private, for type %s', (type) => {
    expect(shapes(type)).toEqual(['envelope', 'sealed']);
  });

  it.each(['photo', 'document', 'pdf_document'])('is delivered as raw bytes, or sealed when private, for type %s', (type) => {
    expect(shapes(type)).toEqual(['raw', 'sealed']);
  });

  it('is delivered as an envelope when its type declares metadata', () => {
    expect(shapes('scan')).toEqual(['envelope', 'sealed']);
  });

  it('is delivered as an envelope when its type has pages, even without metadata', () => {
    expect(binaryAnswerShape({ ...types.resolve('passport')!, entries: [] }, false)).toBe('envelope');
  });
});
