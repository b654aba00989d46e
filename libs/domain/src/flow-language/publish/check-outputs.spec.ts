import type { OutputDocument } from '../definition/definition.ts';
import type { Where } from '../definition/finding.ts';
import { nodeOf } from '../rental-flow.check.ts';
import {
  all,
  checkTable,
  fromConnection,
  leaf,
  move,
  nothing,
  rule,
  set,
  templates,
  findingTexts,
  type Change,
  type Family,
} from './findings.check.ts';
import type { PublishInputs } from './check-context.ts';

const asking = (audience: 'person' | 'company' | 'both', type = 'pdf_document'): Partial<PublishInputs> => ({
  request_fields: [
    { slug: 'rules', type, audience },
    { slug: 'first_name', type: 'text', audience: 'both' },
  ],
});

const annex =
  (members: Partial<OutputDocument>): Change =>
  (d) =>
    void Object.assign(nodeOf(d, 'done').output!.documents[1]!, members);

describe('the publishing check of output documents @spec D2-7 @spec D2-2.4', () => {
  checkTable<Family<'pdf'>>({
    'pdf.unknown_tag': {
      raised: [
        ['a tag that names nothing', nothing, templates({ lease_en: ['name', 'nothing'] })],
        ['a tag of a party, which templates do not have', nothing, templates({ lease_en: ['tenant.first_name'] })],
        ['a tag only another leaf can fill', leaf('other', 'tenant_data', 'slip'), templates({ slip: ['firm.seat'] })],
      ],
      quiet: [['slugs, dotted keys and constants', nothing, templates({ lease_office: ['firm.company', 'firm', 'rent', 'age'] })]],
    },
    'pdf.source_invalid': {
      raised: [
        ['no source', rule({ source_field: undefined })],
        ['two sources', rule({ asset_key: 'lease_en' })],
        ['three sources', rule({ asset_key: 'lease_en', source_connection: { party: 'tenant', request_slug: 'rules' } })],
        ['a template nobody uploaded', rule({ source_field: undefined, asset_key: 'lost' })],
      ],
      quiet: [['one template', rule({ source_field: undefined, asset_key: 'lease_en' })]],
    },
    'pdf.source_field_invalid': {
      raised: [
        ['a field of another type', rule({ source_field: 'name' })],
        ['a field that does not exist', rule({ source_field: 'nothing' })],
        ['a file that need not be a PDF', set('reference', { type: 'document' })],
        ['a plugin', rule({ source_field: 'firm' })],
        ['a constant', rule({ source_field: 'deposit' })],
      ],
      quiet: [['a PDF of any step', move('reference', 'offer')]],
    },
    'pdf.source_connection_invalid': {
      raised: [
        ['the owner', fromConnection('landlord', 'rules'), asking('both')],
        ['an untyped party', (d) => void delete d.parties[1]!.type, asking('both')],
        ['a party that does not exist', fromConnection('nobody', 'rules'), asking('both')],
        ['a request field that does not exist', fromConnection('tenant', 'nothing')],
        ['a request field of another type', nothing, asking('both', 'document')],
        ['a request field for companies', nothing, asking('company')],
      ],
      quiet: [
        ['a request field for both', nothing, asking('both')],
        ['a company asked as one', (d) => void (d.parties[1]!.type = 'company'), asking('company')],
      ],
    },
  });

  checkTable<'flows.definition_invalid'>({
    'flows.definition_invalid': {
      raised: [
        ['an output on a step in between', (d) => void (nodeOf(d, 'office_data').output = structuredClone(nodeOf(d, 'done').output))],
        ['an output in a data_only flow', (d) => void (d.output_mode = 'data_only')],
        ['a document leaf without an output', all(leaf('end', 'offer'), (d) => void delete nodeOf(d, 'end').output)],
        ['a document leaf without documents', all(leaf('end', 'offer'), (d) => void (nodeOf(d, 'end').output!.documents = []))],
        ['a language party that does not exist', (d) => void (nodeOf(d, 'done').output!.language_party = 'nobody')],
        ['a document declared twice', annex({ output_key: 'lease' })],
        ['a document without rules', annex({ rules: [] })],
        ['no language', rule({ languages: [] })],
        [
          'a signer who is no party',
          rule({
            signers: [
              { party: 'tenant', action: 'sign' },
              { party: 'nobody', action: 'sign' },
            ],
          }),
        ],
        [
          'a signer named twice',
          rule({
            signers: [
              { party: 'tenant', action: 'sign' },
              { party: 'tenant', action: 'accept' },
            ],
          }),
        ],
      ],
      quiet: [
        ['an empty list of signers', rule({ signers: [] })],
        ['the same document on two leaves', leaf('end', 'offer'), templates()],
        [
          'a data_only flow',
          (d) => {
            d.output_mode = 'data_only';
            delete nodeOf(d, 'done').output;
          },
          templates(),
        ],
      ],
    },
  });

  it('reports an unknown tag once per leaf and template, even when many rules use the template', () => {
    const rules = Array.from({ length: 50 }, () => ({ asset_key: 'slip', languages: 'all' as const }));
    const slips: Change = (d) => {
      for (const { output } of d.nodes.filter(({ key }) => key.startsWith('end')))
        output!.documents = ['a', 'b'].map((output_key) => ({ output_key, name: output_key, rules }));
    };

    const texts = findingTexts(all(leaf('end', 'offer'), leaf('end_too', 'offer'), slips), templates({ slip: ['x', 'y'] }));

    expect(texts).toEqual(
      ['end', 'end_too'].flatMap((node) =>
        ['x', 'y'].map((tag) => [{ node, output: 'a', rule: 0 }, `The template's tag {{${tag}}} prints nothing on ${node}`]),
      ),
    );
  });

  it.each<[what: string, change: Change, where: Where, message: RegExp]>([
    ['a node with an output', (d) => void (d.output_mode = 'data_only'), { node: 'done' }, /done declares an output/],
    ['a leaf without one', all(leaf('end', 'offer'), (d) => void delete nodeOf(d, 'end').output), { node: 'end' }, /end is a leaf/],
    ['a language party', (d) => void (nodeOf(d, 'done').output!.language_party = 'nobody'), { node: 'done' }, /party nobody of done/],
    ['a document', annex({ output_key: 'lease' }), { node: 'done', output: 'lease' }, /lease twice/],
    ['a document without rules', annex({ rules: [] }), { node: 'done', output: 'annex' }, /annex has no rule/],
    ['a rule', rule({ source_field: 'name' }), { node: 'done', output: 'annex', rule: 0 }, /name is no field of type pdf_document/],
  ])('reports the position of %s', (_what, change, where, message) => {
    expect(findingTexts(change)).toEqual([[where, expect.stringMatching(message)]]);
  });
});
