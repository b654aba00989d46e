import type { Element } from '../definition/definition.ts';
import type { Where } from '../definition/finding.ts';
import { lit, nodeOf, ref, rental } from '../rental-flow.check.ts';
import {
  all,
  checkTable,
  field,
  leaf,
  putElement,
  set,
  templates,
  text,
  findingTexts,
  type Change,
  type Family,
} from './findings.check.ts';

/** The index of the next element of the step. */
const AT_OFFER = nodeOf(rental(), 'offer').elements.length;
const odd = (element: object) => putElement('offer', element as Element);

describe('the publishing check of steps @spec D2-7', () => {
  checkTable<Family<'element' | 'text' | 'node'>>({
    'element.kind_invalid': {
      raised: [
        ['a video', odd({ kind: 'video', url: 'x' })],
        ['a kind named like a member of every object', odd({ kind: 'constructor' })],
        ['our own word for it', odd({ kind: 'unknown', given: 'x' })],
        ['no kind', odd({ slug: 'x', label: '' })],
        ['a kind that is a number', odd({ kind: 5 })],
        ['a kind that is null', odd({ kind: null })],
        ['a kind that has no text', odd(JSON.parse('{"kind": {"toString": 1}}') as object)],
      ],
      quiet: [['an image', putElement('offer', { kind: 'image', asset_key: 'x', alt: 'y' })]],
    },
    'text.unknown_tag': {
      raised: [
        ['a tag that names nothing', text('offer', '{{nothing}}')],
        ['a value that comes later', text('offer', 'Dear {{name}}')],
        ['a request field the service does not have', text('offer', '{{tenant.shoe_size}}')],
        ['a constant that reads what comes later', text('offer', '{{age}}')],
      ],
      quiet: [
        ['the owner, whose fields only the platform knows', text('offer', '{{landlord.anything}} {{rent}}')],
        ['a plugin key', text('office_data', '{{firm.seat}}')],
      ],
    },
    'node.unreachable': {
      raised: [['a node without a way in', leaf('island', null), templates()]],
      quiet: [['a node with a way in', leaf('island', 'offer'), templates()]],
    },
  });

  checkTable<'flows.definition_invalid'>({
    'flows.definition_invalid': {
      raised: [
        ['a type the registry does not carry', set('name', { type: 'shoe_size' })],
        ['a choice without options', set('use', { options: undefined })],
        ['a choice of nothing', set('use', { options: [] })],
        ['several choices with one twice', set('keeps', { options: ['cat', 'cat'] })],
        ['options on a type that takes none', set('name', { options: ['a'] })],
        ['a field of the company that must be linked', set('rent', { min: undefined, link: 'connected' })],
        ['a field of the company that must be verified', field('offer', 'seal', 'text', { link: 'verified' })],
        [
          'an unknown type, whatever else hangs on it',
          all(set('born', { type: 'shoe_size', max: lit(5), default: lit('x') }), set('name', { default: ref('born') })),
        ],
      ],
      quiet: [
        ['a choice whose options the registry has', field('offer', 'sex', 'gender')],
        ['a field of a customer that must be linked', set('name', { link: 'connected' })],
      ],
    },
  });

  it('reports an image that was not uploaded, when the uploads are known @gap D2-7', () => {
    const shows = putElement('offer', { kind: 'image', asset_key: 'stamp' });
    expect(findingTexts(shows, { ...templates(), images: new Set(['logo', 'stamp']) })).toEqual([]);
    expect(findingTexts(shows, { ...templates(), images: new Set(['logo']) })).toEqual([
      [{ node: 'offer', index: AT_OFFER }, 'offer shows the image stamp, which was not uploaded'],
    ]);
  });

  it.each<[what: string, change: Change, where: Where, message: RegExp]>([
    ['a node', leaf('island', null), { node: 'island' }, /No path leads to island/],
    ['an element', odd({ kind: 'video' }), { node: 'offer', index: AT_OFFER }, /kind video/],
    ['a text', text('offer', '{{nothing}}'), { node: 'offer', index: AT_OFFER }, /\{\{nothing\}\}/],
    ['a field', set('name', { type: 'shoe_size' }), { node: 'tenant_data', element: 'name' }, /the registry does not carry/],
    [
      'a link',
      field('offer', 'seal', 'text', { link: 'verified' }),
      { node: 'offer', element: 'seal' },
      /seal must be linked.*remove link/,
    ],
    ['a choice', set('use', { options: [] }), { node: 'offer', element: 'use' }, /use is a choice/],
  ])('reports the position of %s', (_what, change, where, message) => {
    expect(findingTexts(change, templates())).toEqual([[where, expect.stringMatching(message)]]);
  });
});
