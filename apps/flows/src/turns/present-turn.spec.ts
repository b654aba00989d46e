import type { FlowDefinition } from '@codase/contracts';
import { ORDER, stepOf } from './order-flow.check.ts';
import { presentTurn } from './present-turn.ts';
import { answerByRule, type AnswerRule } from './rules.ts';

type FieldElement = FlowDefinition['nodes'][number]['elements'][number];

describe('presentTurn @spec D2-4.2', () => {
  it('returns typed answers, constants and the fields of the step', () => {
    const { answers, constants, fields } = presentTurn(
      stepOf('close', { quantity: '12', price: '2.50', agrees: 'yes', valid_from: '2026-03-02' }),
    );

    expect(answers).toEqual({ quantity: 12, price: 2.5, agrees: 'yes', valid_from: '2026-03-02' });
    expect(constants).toEqual({ total: 30 });
    expect(fields.map(({ slug }) => slug)).toEqual(['order_number']);
  });

  it('leaves out missing answers and hidden fields', () => {
    const { answers, constants, fields } = presentTurn(stepOf('price_check', { quantity: '3' }));

    expect(answers).toEqual({ quantity: 3 });
    expect(constants).toEqual({});
    expect(fields.map(({ slug }) => slug)).toEqual(['price', 'valid_from']);
  });

  it('computes bounds and lists options', () => {
    const bound = {
      type: 'math' as const,
      op: 'mul' as const,
      args: [
        { type: 'ref' as const, key: 'quantity' },
        { type: 'lit' as const, value_type: 'number' as const, value: 2 },
      ],
    };
    const [ask, price, agree, close] = ORDER.nodes;
    const most = { ...price!.elements[0]!, max: bound } as FieldElement;
    const definition = { ...ORDER, nodes: [ask!, { ...price!, elements: [most] }, agree!, close!] };
    expect(presentTurn(stepOf('price_check', { quantity: '3' }, definition)).fields[0]).toMatchObject({ slug: 'price', min: 1, max: 6 });
    expect(presentTurn(stepOf('agree', {})).fields[0]).toMatchObject({ slug: 'agrees', options: ['yes', 'no'] });
  });
});

describe('answer rules in the settings', () => {
  const rules: AnswerRule[] = [
    { node: 'price_check', when: { field: 'quantity', op: 'gt' as const, value: 10 }, answers: {}, plugins: {} },
    { node: 'price_check', answers: { price: { type: 'ref' as const, key: 'quantity' } }, plugins: {} },
  ];

  it('answer a step by the first rule that matches', () => {
    const answers = (quantity: string, private_slugs: string[] = []) =>
      answerByRule({ ...stepOf('price_check', { quantity }), private_slugs }, rules);
    expect(answers('12')).toEqual({ given: {}, from_private: new Set(), asksPlugins: false });
    expect(answers('3')).toEqual({ given: { price: '3' }, from_private: new Set(), asksPlugins: false });
    expect(answers('3', ['quantity'])).toEqual({ given: { price: '3' }, from_private: new Set(['price']), asksPlugins: false });
    expect(answerByRule(stepOf('close', {}), rules)).toBeUndefined();
  });
});
