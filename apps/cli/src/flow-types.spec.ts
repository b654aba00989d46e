import { fieldTypes, SYSTEM_ROWS } from '@codase/domain/field-types';
import { readDefinition } from '@codase/domain/flow-language';
import { flowTypes } from './flow-types.ts';

const field = (slug: string, type: string, more: object = {}) => ({ kind: 'field', slug, label: slug, type, required: true, ...more });

const PICKUP = {
  plugin_id: 'plug_1',
  field_type: 'pickup_point',
  inputs: {},
  snapshot: {
    plugin_name: 'Pickup points',
    host: 'plugin.example',
    label: 'Pickup point',
    blocks: [
      { key: 'point', kind: 'search_select', label: 'Point' },
      { key: 'hour', kind: 'number', label: 'Hour' },
    ],
    inputs: [],
    outputs: [{ key: 'fee', type: 'number', label: 'Fee' }],
  },
};

describe('generated types of a flow', () => {
  it('declare for each step of the company the answers it reads and the answers it gives', () => {
    const reading = readDefinition({
      entry: 'ask',
      output_mode: 'data_only',
      parties: [
        { key: 'company', label: 'Acme', type: 'owner' },
        { key: 'customer', label: 'Customer', type: 'person' },
      ],
      nodes: [
        {
          key: 'ask',
          party: 'customer',
          title: 'Order',
          elements: [
            field('quantity', 'integer'),
            field('colours', 'multiselect', { options: ['red', 'blue'] }),
            field('proof', 'pdf_document'),
          ],
        },
        {
          key: 'price-check',
          party: 'company',
          title: 'Price',
          elements: [
            field('price', 'decimal'),
            field('speed', 'select', { options: ['slow', 'fast'] }),
            field('from', 'date', { default: { type: 'today' } }),
            field('note', 'text', { required: false }),
            field('offer', 'pdf_document'),
            { kind: 'plugin', slug: 'pickup', label: 'Pickup', required: true, plugin: PICKUP },
          ],
        },
        { key: 'end', party: 'company', title: 'End', elements: [] },
      ],
      edges: [
        { from: 'ask', to: 'price-check' },
        { from: 'price-check', to: 'end' },
      ],
      constants: [],
    });
    if (!reading.ok) throw new Error(JSON.stringify(reading.findings));

    expect(flowTypes({ flow_id: 'flow_52aa', version: 3 }, reading.definition, fieldTypes(SYSTEM_ROWS)).split('\n')).toEqual([
      '// Written by `npm run -s codase -- flows types flow_52aa` from version 3: write it again when a newer one is published.',
      'export type Flow52aa = {',
      '  "price-check": {',
      '    answers: {',
      '      quantity?: number;',
      '      colours?: ("red" | "blue")[];',
      '      proof?: { _enc_file: string; _link?: 1 };',
      '    };',
      '    gives: {',
      '      price: number;',
      '      speed: "slow" | "fast";',
      '      from?: string;',
      '      note?: string;',
      '      offer: { bytes: Uint8Array | Blob | AsyncIterable<Uint8Array>; name: string; type: string };',
      '      pickup: { picks: { point?: string | { id: string; label: string } }; values: { hour?: number | null } };',
      '    };',
      '  };',
      '  end: {',
      '    answers: {',
      '      quantity?: number;',
      '      colours?: ("red" | "blue")[];',
      '      proof?: { _enc_file: string; _link?: 1 };',
      '      price?: number;',
      '      speed?: "slow" | "fast";',
      '      from?: string;',
      '      note?: string;',
      '      offer?: { _enc_file: string; _link?: 1 };',
      '      pickup?: string;',
      '      "pickup.point"?: string;',
      '      "pickup.point.id"?: string;',
      '      "pickup.hour"?: number;',
      '      "pickup.fee"?: number;',
      '    };',
      '    gives: Record<string, never>;',
      '  };',
      '};',
      '',
    ]);
  });
});
