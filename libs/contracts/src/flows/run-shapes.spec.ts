import { refused } from '../core/refused.check.ts';
import { SEALED } from '../core/samples.ts';
import { NEW_RUN, RUN, TURN } from './examples.ts';
import { NewRun, Run, RunStatus, SourceKey, Turn } from './run-shapes.ts';

const answer = TURN.answers[0]!;
const withAnswer = (change: object) => ({ ...TURN, answers: [{ ...answer, ...change }] });
const withValue = (value: unknown) => withAnswer({ values: [{ for_user_id: 'user_acme', value }] });

describe('a submitted turn @spec D2-2.3 @spec D2-4.2', () => {
  it.each([
    ['as it is', TURN, undefined],
    ['with a value in the clear', withValue('12'), 'contact_data.encryption_required'],
    ['with a wrapper that is no text', withValue(JSON.parse(SEALED)), 'contact_data.encryption_required'],
    ['with a file as JSON text', withValue('{"_enc_file":"file_e2d0"}'), undefined],
    ['with a file as an object', withValue({ _enc_file: 'file_e2d0' }), undefined],
    ['with more than a file', withValue({ _enc_file: 'file_e2d0', name: 'x' }), 'contact_data.encryption_required'],
    ['without a slug', withAnswer({ slug: undefined }), 'flows.answer_invalid'],
    ['with half a privacy', withAnswer({ source_private: 'yes' }), 'flows.answer_invalid'],
    ['without copies', withAnswer({ values: undefined }), 'flows.answer_party_missing'],
    ['for nobody', withAnswer({ values: [{ for_user_id: '', value: SEALED }] }), 'flows.answer_party_invalid'],
    ['that goes nowhere', { answers: [] }, 'flows.next_node_invalid'],
    ['that goes on and ends', { answers: [], next_node: 'a', leaf: true }, 'flows.next_node_invalid'],
    ['on a leaf', { answers: [], leaf: true }, undefined],
  ])('is validated by its answers and next step: %s', (_, turn, key) => {
    expect(refused(Turn, turn)).toBe(key);
  });

  it('normalises a file reference to its stored text', () => {
    const twice = withValue('{ "_enc_file": "Main Street 1", "_enc_file": "file_e2d0" }');
    expect(Turn.parse(twice).answers[0]!.values[0]!.value).toBe('{"_enc_file":"file_e2d0"}');
    expect(Turn.parse(withValue({ _enc_file: 'file_e2d0' })).answers[0]!.values[0]!.value).toBe('{"_enc_file":"file_e2d0"}');
  });
});

describe('a request to start a run @spec D2-4.1', () => {
  const tags = {
    recipient_pubkey_sha256: 'a'.repeat(64),
    public: SEALED,
    public_tags: ['customer.name'],
    private: { 'customer.iban': SEALED },
  };

  it.each([
    ['with targets', NEW_RUN, undefined],
    ['with one target', { target: { connection_id: 'conn_7b20' } }, undefined],
    ['with both', { ...NEW_RUN, target: { connection_id: 'conn_7b20' } }, 'flows.bindings_invalid'],
    ['with a connection that cannot be', { target: { connection_id: 'no such' } }, 'flows.connection_not_found'],
    ['with values for text', { ...NEW_RUN, tag_values: { company: tags } }, undefined],
    [
      'with values in the clear',
      { ...NEW_RUN, tag_values: { company: { ...tags, public: '{"customer.name":{}}' } } },
      'flows.tag_values_invalid',
    ],
    ['with half the values', { ...NEW_RUN, tag_values: { company: { public: SEALED } } }, 'flows.tag_values_invalid'],
    ['with no map of values', { ...NEW_RUN, tag_values: 'none' }, 'flows.tag_values_invalid'],
    ['with a file of no source', { ...NEW_RUN, source_files: [{ source_key: 'x', for_user_id: 'u', file: 'f' }] }, 'request.invalid'],
  ])('is validated by its targets, tag values and files: %s', (_, run, key) => {
    expect(refused(NewRun, run)).toBe(key);
  });
});

describe('a run @spec D2-2.2', () => {
  it('accepts only the statuses of the specification @spec D2-3', () => {
    expect(
      ['awaiting_company', 'awaiting_signature', 'generating', 'completed', 'cancelled'].every(
        (status) => refused(RunStatus, status) === undefined,
      ),
    ).toBe(true);
    expect(['awaiting', 'canceled', ''].every((status) => refused(RunStatus, status) === 'request.invalid')).toBe(true);
  });

  it('may be empty once its data is deleted @spec D2-8', () => {
    expect(Run.parse({ ...RUN, answers: [], source_files: {}, tag_values: null })).toMatchObject({
      answers: [],
      source_files: {},
      tag_values: null,
    });
  });

  it('identifies a source by field, or by party and field of a connection @spec D2-2.4', () => {
    expect(['field:trade_register', 'conn:customer:trade_register'].every((key) => refused(SourceKey, key) === undefined)).toBe(true);
    expect(
      ['trade_register', 'field:', 'conn:customer', 'field:a:b', 'conn:a:b:c'].every(
        (key) => refused(SourceKey, key) === 'request.invalid',
      ),
    ).toBe(true);
  });
});
