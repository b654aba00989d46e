import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawStep, pressContinue } from './form.ts';
import { findingsOf, orderFlow } from './order-flow.ts';
import { bindParties, confirmOrder, documentsOf } from './server.ts';

const flow = orderFlow();
const STEP = { node: 'order', answers: {}, reference_date: '2026-03-01' };
/** The answers as they travel: as texts, one of them JSON. */
const OPENED = { quantity: '8', delivery: '2026-03-01', extras: '["insurance"]' };

describe('the worked example of the flow language', () => {
  it.each(['order-flow.ts', 'form.ts', 'server.ts'])('is printed in the README exactly as it runs: %s', (file) => {
    const readme = readFileSync(join(import.meta.dirname, '../../src/flow-language/README.md'), 'utf8');
    const code = readFileSync(join(import.meta.dirname, file), 'utf8');
    expect(readme).toContain(`\`\`\`ts\n${code}\`\`\``);
  });

  it('has no findings, while a broken draft has several at once', () => {
    expect(findingsOf()).toEqual([]);
    const broken = { entry: 'nowhere', output_mode: 'paper', parties: [], nodes: [], edges: [], constants: [{ key: 'A' }] };
    expect(findingsOf(broken).length).toBeGreaterThan(3);
  });

  it('draws a form and submits the answers of a step', () => {
    const empty = drawStep(flow, STEP, {});
    expect(empty.lines).toEqual(['Quantity: ', 'Delivery: 2026-03-01', 'Extras: ', 'You pay —.', 'Total = (pending)']);
    expect(pressContinue(flow, STEP, empty.drafts)).toEqual(['quantity is required', 'with these answers the flow does not go on']);

    const filled = drawStep(flow, STEP, { ...empty.drafts, quantity: { value: '8' }, extras: { value: ['insurance'] } });
    expect(filled.lines).toEqual(['Quantity: 8', 'Delivery: 2026-03-01', 'Extras: insurance', 'You pay 100.', 'Total = 100']);
    expect(pressContinue(flow, STEP, filled.drafts)).toEqual({ answers: Object.entries(OPENED), next_node: 'confirm' });
    expect(pressContinue(flow, STEP, { ...filled.drafts, quantity: { value: '0' } })).toEqual(['quantity has a min of 1']);
    expect(pressContinue(flow, STEP, { ...filled.drafts, quantity: { value: 'x' } })).toContainEqual(
      expect.stringMatching(/^quantity must be/),
    );
  });

  it('binds the parties, confirms the order and chooses the documents', () => {
    expect(bindParties(flow, 'conn_7')).toEqual({ company: 'user_acme', customer: 'user_ana' });
    expect(bindParties(flow, 'conn_8')).toBe('flows.connection_not_found');
    expect(confirmOrder(flow, OPENED, 'A-1')).toEqual({
      ready: true,
      answers: [{ slug: 'order_number', plaintext: 'A-1', is_file: false, source_private: false }],
      onward: { leaf: true },
      signal: 'document leaf',
    });
    expect(documentsOf(flow, OPENED, 'en')).toEqual({ rules: ['contract by rule 0'], line: ['1. company: sign', '2. customer: sign'] });
    const plain = documentsOf(flow, { ...OPENED, extras: '[]' }, 'en');
    expect(plain).toEqual({ rules: ['contract by rule 1'], line: ['1. customer: sign'] });
  });
});
