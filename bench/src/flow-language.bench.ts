import { deepStrictEqual } from 'node:assert/strict';
import { compileConstants, type Constant, type Expr, type Kind, type ValueType } from '@codase/domain/flow-language';
import jsonLogic, { type RulesLogic } from 'json-logic-js';
import jsonata from 'jsonata';
import { bench } from './harness/bench.ts';
import { repeat, repeatAsync } from './harness/repeat.ts';

const TODAY = '2026-03-01';
const ANSWERS = { price: '12.5', quantity: '8', name: 'Ada', born: '1990-06-15' };
const KINDS = new Map<string, Kind>([
  ['price', 'number'],
  ['quantity', 'number'],
  ['name', 'text'],
  ['born', 'date'],
]);
/** Nine lines of three constants each, a sum, an age and a number of days: thirty constants. */
const LINES = [1, 2, 3, 4, 5, 6, 7, 8, 9];

type Answers = typeof ANSWERS;
type Values = Record<string, unknown>;

const dayOf = (iso: string): number => Date.parse(iso) / 86_400_000;
const days = (from: string, to: string): number => dayOf(to) - dayOf(from);
const years = (from: string, to: string): number =>
  Number(to.slice(0, 4)) - Number(from.slice(0, 4)) - (to.slice(5) < from.slice(5) ? 1 : 0);

/** Makes the table for the values. All contenders use the same kind, so that only the computation differs. */
const tableOf = (answers: Answers): Values => Object.assign(Object.create(null), answers);

/** Computes the same thirty values by hand, as a programmer would write it for this one flow. */
function byHand(answers: Answers): Values {
  const { price, quantity, name, born } = answers;
  const values = tableOf(answers);
  let sum = 0;
  for (const i of LINES) {
    const net = (Number(price) + i) * Number(quantity);
    const band = net > 150 ? 'high' : net > 120 ? 'middle' : 'low';
    values[`net${i}`] = net;
    values[`band${i}`] = band;
    values[`line${i}`] = `${name} ${band} ${net}`;
    sum += net;
  }
  values.sum = sum;
  values.age = years(born, TODAY);
  values.days = days(born, TODAY);
  return values;
}

const lit = (value: string | number): Expr => ({ type: 'lit', value_type: typeof value === 'number' ? 'number' : 'text', value });
const ref = (key: string): Expr => ({ type: 'ref', key });
const constant = (key: string, expr: Expr, result_type: ValueType = 'number'): Constant => ({ key, result_type, expr, shown_on: [] });
const over = (limit: number, key: string, result: string) =>
  // oxlint-disable-next-line unicorn/no-thenable -- the specification's word
  ({ when: { field: key, op: 'gt', value: limit } as const, then: lit(result) });

const CONSTANTS: Constant[] = [
  ...LINES.flatMap((i) => {
    const sum: Expr = { type: 'math', op: 'add', args: [ref('price'), lit(i)] };
    const cases = [over(150, `net${i}`, 'high'), over(120, `net${i}`, 'middle')];
    return [
      constant(`net${i}`, { type: 'math', op: 'mul', args: [sum, ref('quantity')] }),
      constant(`band${i}`, { type: 'if', cases, else: lit('low') }, 'text'),
      constant(`line${i}`, { type: 'concat', parts: [ref('name'), ref(`band${i}`), ref(`net${i}`)], sep: ' ' }, 'text'),
    ];
  }),
  constant('sum', { type: 'math', op: 'add', args: LINES.map((i) => ref(`net${i}`)) }),
  constant('age', { type: 'datediff', unit: 'years', from: ref('born'), to: { type: 'today' } }),
  constant('days', { type: 'datediff', unit: 'days', from: ref('born'), to: { type: 'today' } }),
];

jsonLogic.add_operation('years', years);
jsonLogic.add_operation('days', days);
const RULES: [string, RulesLogic][] = [
  ...LINES.flatMap((i): [string, RulesLogic][] => [
    [`net${i}`, { '*': [{ '+': [{ var: 'price' }, i] }, { var: 'quantity' }] }],
    [`band${i}`, { if: [{ '>': [{ var: `net${i}` }, 150] }, 'high', { '>': [{ var: `net${i}` }, 120] }, 'middle', 'low'] }],
    [`line${i}`, { cat: [{ var: 'name' }, ' ', { var: `band${i}` }, ' ', { var: `net${i}` }] }],
  ]),
  ['sum', { '+': LINES.map((i) => ({ var: `net${i}` })) as never }],
  ['age', { years: [{ var: 'born' }, TODAY] } as never],
  ['days', { days: [{ var: 'born' }, TODAY] } as never],
];

function byJsonLogic(answers: Answers): Values {
  const values = tableOf(answers);
  for (const [key, rule] of RULES) values[key] = jsonLogic.apply(rule, values);
  return values;
}

/** All constants in one block, which is the fastest form of JSONata. */
const JSONATA = jsonata(`(
  ${LINES.map(
    (i) => `
    $net${i} := ($number(price) + ${i}) * $number(quantity);
    $band${i} := $net${i} > 150 ? 'high' : $net${i} > 120 ? 'middle' : 'low';
    $line${i} := $join([name, $band${i}, $string($net${i})], ' ');`,
  ).join('')}
  $merge([$, {
    ${LINES.map((i) => `'net${i}': $net${i}, 'band${i}': $band${i}, 'line${i}': $line${i},`).join('')}
    'sum': ${LINES.map((i) => `$net${i}`).join(' + ')}, 'age': $years(born, '${TODAY}'), 'days': $days(born, '${TODAY}')
  }])
)`);
JSONATA.registerFunction('years', years);
JSONATA.registerFunction('days', days);

const compute = compileConstants(CONSTANTS, KINDS);

/** Checks that all four contenders agree before any is measured. */
async function setup(): Promise<Answers> {
  const expected = { ...byHand(ANSWERS) };
  const others = [compute(ANSWERS, TODAY), byJsonLogic(ANSWERS), (await JSONATA.evaluate(ANSWERS)) as Values];
  for (const values of others) deepStrictEqual({ ...values }, expected);
  return ANSWERS;
}

/** Measures what computing thirty constants over one run's answers costs, with a compiled definition. */
export default bench<Answers, 'floor' | 'json_logic' | 'jsonata' | 'ours'>({
  name: 'flow-language',
  what: 'thirty constants over one set of answers, against json-logic-js, JSONata and a hand-written function',
  unit: 'programs/s',
  setup,
  contenders: {
    floor: repeat(byHand),
    json_logic: repeat(byJsonLogic),
    jsonata: repeatAsync((answers) => JSONATA.evaluate(answers)),
    ours: repeat((answers) => compute(answers, TODAY)),
  },
  bar: [
    { over: 'json_logic', atLeast: 2 },
    { over: 'jsonata', atLeast: 10 },
  ],
});
