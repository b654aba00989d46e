import type { FlowDefinition, OpenedReply } from '@codase/contracts';
import { readPluginAnswer } from '@codase/domain/flow-language';
import { ORDER, stepOf } from '../turns/order-flow.check.ts';
import { askField, fillPlugins, type Question } from './fill-plugins.ts';

type PluginElement = Extract<FlowDefinition['nodes'][number]['elements'][number], { kind: 'plugin' }>;
type Input = { key: string; required: boolean };

const plugin = (slug: string, [input, from]: [Input, string | undefined], more: object = {}): PluginElement => ({
  kind: 'plugin',
  slug,
  label: slug,
  required: false,
  plugin: {
    plugin_id: `plug_${slug}`,
    field_type: slug,
    inputs: from === undefined ? {} : { [input.key]: from },
    snapshot: {
      plugin_name: slug,
      host: 'plugin.example',
      label: slug,
      blocks: [
        { key: 'point', kind: 'search_select', label: 'Point' },
        { key: 'slot', kind: 'search_select', label: 'Time', depends_on: ['point'] },
        { key: 'note', kind: 'text', label: 'Note' },
      ],
      inputs: [{ ...input, type: 'text', label: input.key }],
      outputs: [{ key: 'fee', type: 'number', label: 'Fee' }],
    },
  },
  ...more,
});
const postcode: Input = { key: 'postcode', required: true };
const [ask, check, ...others] = ORDER.nodes;
const town = { kind: 'field' as const, slug: 'town', label: 'Town', type: 'text', required: false };
const withPlugins = (...plugins: PluginElement[]): FlowDefinition => ({
  ...ORDER,
  constants: [
    ...ORDER.constants,
    { key: 'place', result_type: 'text', expr: { type: 'concat', parts: [{ type: 'ref', key: 'town' }], sep: '' }, shown_on: [] },
  ],
  nodes: [{ ...ask!, elements: [...ask!.elements, town] }, { ...check!, elements: [...plugins, ...check!.elements] }, ...others],
});
const PICKUP = plugin('pickup', [postcode, 'town']);

describe("plugin fields of a company's step @spec D2-4.5 @spec D2-2.6", () => {
  const requests: (Question & { slug: string })[] = [];
  let outputs: OpenedReply = { outputs: { fee: 1.5 } };
  beforeEach(() => {
    requests.splice(0);
    outputs = { outputs: { fee: 1.5 } };
  });
  const answer = async (slug: string, question: Question): Promise<OpenedReply> => {
    requests.push({ slug, ...question });
    if (question.op === 'outputs') return outputs;
    const all = question.block === 'point' ? [{ id: 'west', label: 'Kiosk' }] : [{ id: 'noon', label: '12 to 15' }];
    return { options: all.filter(({ label }) => label.includes(question.query ?? '')), more: false };
  };
  const step = (definition = withPlugins(PICKUP), private_slugs: string[] = []) => ({
    ...stepOf('price_check', { quantity: '3', town: '1010' }, definition),
    private_slugs,
  });
  const fill = (given: Record<string, unknown>, on = step(), from_private: string[] = []) =>
    fillPlugins(on, given, new Set(from_private), answer);
  const faults = async (...given: Parameters<typeof fill>) => {
    const filled = await fill(...given);
    return 'faults' in filled ? filled.faults.map(({ fault }) => fault) : [];
  };

  it('are filled block by block, by label, id or option, and their outputs are requested last', async () => {
    const filled = await fill({ price: 5, pickup: { picks: { slot: 'noon', point: 'Kiosk' }, values: { note: 'bell' } } });

    const { given } = filled as { given: Record<string, unknown> };
    expect(given['price']).toBe(5);
    expect(readPluginAnswer(given['pickup'])).toMatchObject({
      plugin: 'pickup',
      blocks: [{ pick: { id: 'west', label: 'Kiosk' } }, { pick: { id: 'noon', label: '12 to 15' } }, { value: 'bell' }],
      outputs: [{ key: 'fee', value: 1.5 }],
    });
    const of = { slug: 'pickup', values: { note: 'bell' }, inputs: { postcode: '1010' } };
    expect(requests).toEqual([
      { ...of, op: 'options', block: 'point', query: 'Kiosk', picks: {} },
      { ...of, op: 'options', block: 'slot', query: 'noon', picks: { point: 'west' } },
      { ...of, op: 'options', block: 'slot', query: '', picks: { point: 'west' } },
      { ...of, op: 'outputs', picks: { point: 'west', slot: 'noon' } },
    ]);
  });

  it('are filled after the plugin fields that their inputs come from, regardless of their order in the step', async () => {
    const second = plugin('second', [postcode, 'pickup.point']);
    await fill({ second: {}, pickup: { picks: { point: { id: 'west', label: 'Kiosk' } } } }, step(withPlugins(second, PICKUP)));

    expect(requests.map(({ slug, inputs }) => [slug, inputs])).toEqual([
      ['pickup', { postcode: '1010' }],
      ['second', { postcode: 'Kiosk' }],
    ]);
  });

  it.each([
    ['in the list of the run', PICKUP, ['town'], []],
    ['behind a constant', plugin('pickup', [postcode, 'place']), ['town'], []],
    ['of this step', plugin('pickup', [postcode, 'price']), [], ['price']],
  ])('are never given a private value: %s @spec D2-4.5.5', async (_, element, private_slugs, from_private) => {
    const on = step(withPlugins(element), private_slugs);
    const lacking = ['pickup needs the input postcode, which is private and is sent to no plugin'];
    expect(await faults({ price: 5, pickup: {} }, on, from_private)).toEqual(lacking);
    expect(requests).toEqual([]);
  });

  it('are filled without an optional input that is private', async () => {
    const optional = plugin('pickup', [{ ...postcode, required: false }, 'town']);
    expect(await faults({ pickup: {} }, step(withPlugins(optional), ['town']))).toEqual([]);
    expect(requests).toMatchObject([{ op: 'outputs', inputs: {} }]);
  });

  it.each<[object, string]>([
    [{ pickup: 'Kiosk' }, 'pickup must be given as {picks, values}, by the keys of its blocks'],
    [{ pickup: { picks: { gate: 'x' } } }, 'pickup has no such block to pick from: gate'],
    [{ pickup: { values: { point: 'x' } } }, 'pickup has no such block to type into: point'],
    [{ pickup: { picks: { slot: 'noon' } } }, 'pickup cannot be picked in slot before point is filled'],
    [{ pickup: { picks: { point: 'Harbour' } } }, 'pickup has no option of that label or id in point'],
  ])('are refused with a fault that names the field: %j', async (given, fault) => {
    expect(await faults(given as Record<string, unknown>)).toEqual([fault]);
  });

  it('are refused when the plugin no longer accepts the picks', async () => {
    outputs = { picks_invalid: true };
    expect(await faults({ pickup: { picks: { point: 'Kiosk' } } })).toEqual([
      'pickup cannot be answered with these picks: the plugin does not take them',
    ]);
  });

  it('are not sent to the plugin when they are hidden or not answered', async () => {
    const hidden = plugin('pickup', [postcode, 'town'], { show_if: { field: 'quantity', op: 'gt', value: 10 } });
    expect(await faults({ pickup: {} }, step(withPlugins(hidden)))).toEqual(['pickup is not asked with these answers']);
    expect(await faults({ pickup: '' })).toEqual([]);
    expect(requests).toEqual([]);
  });

  it('list the options that can be picked, given the other answers of the step', async () => {
    const field = { query: '', picks: {}, values: {}, answers: { price: 5 } };
    const asking = (question: object) => askField(step(), { slug: 'pickup', ...field, ...question }, new Set(), answer);

    expect(await asking({ block: 'point', query: 'K' })).toEqual({ options: [{ id: 'west', label: 'Kiosk' }], more: false });
    expect(await asking({ picks: { point: 'Kiosk' } })).toEqual({ outputs: { fee: 1.5 } });
    expect(await asking({ slug: 'price' })).toMatchObject({ faults: [{ fault: 'price is no plugin field of the step price_check' }] });
    expect(await asking({ block: 'note' })).toMatchObject({ faults: [{ fault: 'pickup has no such block to pick from: note' }] });
  });
});
