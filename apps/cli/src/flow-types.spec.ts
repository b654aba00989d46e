import { fieldTypes, SYSTEM_ROWS } from '@cds/domain/field-types';
import { readDefinition } from '@cds/domain/flow-language';
import { flowTypes } from './flow-types.ts';

const field = (slug: string, type: string, more: object = {}) => ({ kind: 'field', slug, label: slug, type, required: true, ...more });

describe('types of a flow', () => {
  it("say what each of the company's steps knows and gives", () => {
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
      '// Written by `npm run cds -- flows types flow_52aa` from version 3: write it again when a newer one is published.',
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
      '    };',
      '    gives: Record<string, never>;',
      '  };',
      '};',
      '',
    ]);
  });
});
