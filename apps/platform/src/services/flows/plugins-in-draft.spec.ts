import { pluginsIn, withSnapshots } from './plugins-in-draft.ts';

const SNAPSHOT = { plugin_name: 'Delivery', host: 'd.example', label: 'Address', blocks: [], inputs: [], outputs: [] };
const DESCRIPTIONS = new Map([
  ['plug_1', new Map([['address', SNAPSHOT]])],
  ['plug_2', null],
]);
const element = (plugin: unknown) => ({ kind: 'plugin', slug: 'delivery', plugin });
const draft = (...elements: unknown[]) => ({ entry: 'a', nodes: [{ key: 'a', elements }, { key: 'b' }, 'no node'] });

describe('plugins in a draft of any shape @spec D2-2.6', () => {
  it.each([
    ['nothing', {}, []],
    ['no list', { nodes: 'many' }, []],
    [
      'elements that are none',
      draft(null, 'text', { kind: 'plugin' }, element({}), element({ plugin_id: 7 }), element({ plugin_id: '\0' })),
      [],
    ],
    ['other elements', draft({ kind: 'field', plugin: { plugin_id: 'plug_1' } }), []],
    [
      'each once',
      draft(element({ plugin_id: 'plug_1' }), element({ plugin_id: 'plug_2' }), element({ plugin_id: 'plug_1' })),
      ['plug_1', 'plug_2'],
    ],
  ])('are found in a draft: %s', (_, given, plugins) => {
    expect(pluginsIn(given)).toEqual(plugins);
  });

  it('get their current description as snapshot', () => {
    const use = { plugin_id: 'plug_1', field_type: 'address', inputs: { city: 'city' } };
    expect(withSnapshots(draft(element(use)), DESCRIPTIONS)).toEqual(draft(element({ ...use, snapshot: SNAPSHOT })));
    expect(withSnapshots(draft(element({ ...use, snapshot: { old: true } })), DESCRIPTIONS)).toEqual(
      draft(element({ ...use, snapshot: SNAPSHOT })),
    );
  });

  it.each([
    ['a plugin without a description', { plugin_id: 'plug_2', field_type: 'address', snapshot: SNAPSHOT }],
    ['a field type that it does not have', { plugin_id: 'plug_1', field_type: 'name' }],
    ['somebody else’s plugin', { plugin_id: 'plug_3', field_type: 'address' }],
  ])('stay unchanged for %s', (_, use) => {
    const given = draft(element(use));
    expect(withSnapshots(given, DESCRIPTIONS)).toEqual(given);
  });
});
