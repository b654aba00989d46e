import { fieldTypes, SYSTEM_ROWS } from '@codase/domain/field-types';
import { compileFlow, type Definition } from '@codase/domain/flow-language';
import { previewing } from './preview.ts';

const field = (slug: string) => ({ kind: 'field' as const, slug, label: slug, type: 'text', required: false });
const ORDER: Definition = {
  entry: 'order',
  output_mode: 'data_only',
  parties: [{ key: 'company', label: 'Acme', type: 'owner' }],
  nodes: [
    { key: 'order', party: 'company', title: 'Order', elements: [field('name')] },
    { key: 'rest', party: 'company', title: 'Rest', elements: [field('note')] },
  ],
  edges: [{ from: 'order', to: 'rest' }],
  constants: [],
};

describe('preview of a step', () => {
  it('ignores sample values for questions that the draft does not have', () => {
    const flow = compileFlow(ORDER, fieldTypes(SYSTEM_ROWS));
    const answers = { note: 'from before', nothing: 'x' };
    const madeUp = { answers, step: { name: 'Ada', nobody: 'y' }, tag_values: {}, reference_date: '2026-03-01', language: null };
    const steps = previewing(flow, flow.node('order')!, madeUp);
    let step = steps.next();
    while (!step.done) step = steps.next();
    expect(step.value.next).toMatchObject({ node: 'rest', answers: { note: 'from before', name: 'Ada' } });
    expect(Object.keys(step.value.next!.answers)).toEqual(['note', 'name']);
  });
});
