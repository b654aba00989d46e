import type { Definition } from '../definition/definition.ts';
import { rental, nodeOf } from '../rental-flow.check.ts';
import { requiredSourceFiles, sourceFilesFault, type StagedFile } from './source-files.ts';
import { connectionSources, availableSources, isFileReference, participantSources, sourceOf } from './sources.ts';

const definition = rental();
const done = nodeOf(definition, 'done');
const rules = { kind: 'connection', source_key: 'conn:tenant:rules', party: 'tenant', request_slug: 'rules' };

describe('the sources of PDFs @spec D2-2.4', () => {
  it('are exactly one per rule', () => {
    const languages = 'all';
    expect(sourceOf({ languages, asset_key: 'a' })).toEqual({ kind: 'asset', asset_key: 'a' });
    expect(sourceOf({ languages, source_field: 'scan' })).toEqual({ kind: 'field', source_key: 'field:scan', slug: 'scan' });
    expect(sourceOf({ languages, source_connection: { party: 'tenant', request_slug: 'rules' } })).toEqual(rules);
    expect(sourceOf({ languages })).toBeUndefined();
    expect(sourceOf({ languages, asset_key: 'a', source_field: 'scan' })).toBeUndefined();
  });

  it('are listed once each when they come from participants', () => {
    const twice = rental((d) => void nodeOf(d, 'done').output!.documents.push(structuredClone(nodeOf(d, 'done').output!.documents[1]!)));
    for (const { nodes } of [definition, twice]) {
      expect(participantSources(nodes[3]!).map(({ source_key }) => source_key)).toEqual(['field:reference', 'conn:tenant:rules']);
    }
    expect(participantSources(nodeOf(definition, 'offer'))).toEqual([]);
    expect(connectionSources(twice)).toEqual([rules]);
  });
});

describe('the sources that a run has at a leaf @spec D2-4.3.7', () => {
  const reference = { _enc_file: 'f1' };

  it('are answered files and copied connection sources', () => {
    const copied = { 'conn:tenant:rules': 'f2' };
    expect(availableSources(done, { answers: { reference }, source_files: copied })).toEqual(['field:reference', 'conn:tenant:rules']);
    expect(availableSources(done, { answers: { reference: { ...reference, _link: 1 } }, source_files: {} })).toEqual(['field:reference']);
    expect(availableSources(done, { answers: { reference: JSON.stringify(reference) }, source_files: {} })).toEqual(['field:reference']);
    expect(availableSources(done, { answers: {}, source_files: {} })).toEqual([]);
    expect(availableSources(done, { answers: { reference: 'x' }, source_files: Object.create(copied) as typeof copied })).toEqual([]);
  });

  it('exclude a linked file that is too large to copy @spec D2-4.3.8', () => {
    expect(availableSources(done, { answers: { reference }, source_files: {}, live_only: new Set(['reference']) })).toEqual([]);
    expect(availableSources(done, { answers: { reference }, source_files: {}, live_only: new Set(['other']) })).toEqual([
      'field:reference',
    ]);
  });

  it.each<[unknown, boolean]>([
    [{ _enc_file: 'f' }, true],
    [{ _enc_file: 'f', _link: 1 }, true],
    [{ _enc_file: 'f', _link: 0 }, false],
    [{ _enc_file: 'f', x: 1 }, false],
    [{ _enc_file: '' }, false],
    [{ _enc_file: 1 }, false],
    [{}, false],
    ['f', false],
    [null, false],
    [['f'], false],
  ])('count %j as a file answer: %s @spec D2-4.2', (value, verdict) => {
    expect(isFileReference(value)).toBe(verdict);
  });
});

describe('the files required to start a run @spec D2-4.1', () => {
  const bindings = { landlord: 'u-homes', tenant: 'u-ada', witness: 'u-ada' };
  const required = requiredSourceFiles(definition, bindings, () => true);
  const staged = required.map((copy, i): StagedFile => ({ ...copy, file: `f${i}` }));

  it('are one per connection source and distinct user, including the company', () => {
    expect(required).toEqual([
      { source_key: 'conn:tenant:rules', for_user_id: 'u-homes', source_user_id: 'u-ada' },
      { source_key: 'conn:tenant:rules', for_user_id: 'u-ada', source_user_id: 'u-ada' },
    ]);
  });

  it('are none for values that are not shared or parties that are not bound', () => {
    const requests: string[] = [];
    expect(requiredSourceFiles(definition, bindings, (party, slug) => requests.push(`${party} ${slug}`) < 0)).toEqual([]);
    expect(requests).toEqual(['tenant rules']);
    expect(requiredSourceFiles(definition, { landlord: 'u-homes' }, () => true)).toEqual([]);
    const plain: Definition = rental((d) => void nodeOf(d, 'done').output!.documents.pop());
    expect(requiredSourceFiles(plain, bindings, () => true)).toEqual([]);
  });

  it('must be complete and without additional files @spec D2-7', () => {
    expect(sourceFilesFault(required, staged)).toBeNull();
    expect(sourceFilesFault(required, staged.toReversed())).toBeNull();
    expect(sourceFilesFault([], [])).toBeNull();
    expect(sourceFilesFault(required, staged.slice(1))).toEqual({ missing: [required[0]], unexpected: [] });
    expect(sourceFilesFault(required, [...staged, { ...staged[0]!, file: 'again' }])).toEqual({ missing: [], unexpected: ['again'] });
    expect(sourceFilesFault([], staged)).toEqual({ missing: [], unexpected: ['f0', 'f1'] });
  });

  it.each([
    ['source_key', 'conn:tenant:other'],
    ['for_user_id', 'u-eve'],
    ['source_user_id', 'u-eve'],
  ])('do not match with another %s', (member, value) => {
    const wrong = [{ ...staged[0]!, [member]: value }, staged[1]!];
    expect(sourceFilesFault(required, wrong)).toEqual({ missing: [required[0]], unexpected: ['f0'] });
  });
});
