import { linesOf, move } from '@codase/domain';
import { isOursToGenerate, isOurTurn, signalOfRun, TURN, type RunFacts, type TurnState } from './turn-state.ts';

const run = (change: Partial<RunFacts> = {}): RunFacts => ({
  status: 'awaiting_company',
  current_node: 'price_check',
  bindings: { company: 'usr_acme', customer: 'usr_ana' },
  company_user_id: 'usr_acme',
  definition: {
    nodes: [
      { key: 'price_check', party: 'company' },
      { key: 'agree', party: 'customer' },
    ],
  },
  ...change,
});

describe('isOurTurn @spec D2-3', () => {
  it.each([
    ['awaiting_company', true],
    ['awaiting_customer', false],
    ['awaiting_signature', false],
    ['awaiting_stranger', false],
    ['awaiting_toString', false],
    ['generating', false],
    ['completed', false],
  ] as const)('for a run in status %s is %s', (status, ours) => {
    expect(isOurTurn(run({ status }))).toBe(ours);
  });
});

describe('isOursToGenerate @spec D2-1.6', () => {
  it.each([
    ['generating', 'price_check', true],
    ['generating', 'agree', false],
    ['generating', 'unheard_of', false],
    ['generating', null, false],
    ['awaiting_company', 'price_check', false],
    ['awaiting_signature', 'price_check', false],
  ] as const)('for a run in status %s at node %s is %s', (status, current_node, ours) => {
    expect(isOursToGenerate(run({ status, current_node }))).toBe(ours);
  });
});

describe('signal of a read run', () => {
  const signal = (state: TurnState, node: string | null, change: Partial<RunFacts> = {}, status: RunFacts['status'] = 'awaiting_company') =>
    signalOfRun({ state, node, status }, run(change));

  it("is 'begin' when its turn was not known yet", () => {
    expect(signal('watched', 'ask')).toBe('begin');
    expect(signal('watched', 'price_check')).toBe('begin');
    expect(signal('answered', 'quote')).toBe('begin');
  });

  it('is none while the same turn continues', () => {
    for (const state of ['open', 'taken', 'answered', 'parked'] as const) expect(signal(state, 'price_check')).toBeUndefined();
  });

  it("is 'wait' when another party has the turn, and 'end' when the run is over", () => {
    expect(signal('answered', 'price_check', { status: 'awaiting_customer' })).toBe('wait');
    expect(signal('taken', 'agree', { status: 'generating', current_node: 'agree' })).toBe('wait');
    expect(signal('generating', 'price_check', { status: 'awaiting_signature' })).toBe('wait');
    expect(signal('taken', 'price_check', { status: 'cancelled', current_node: null })).toBe('end');
  });
});

describe('signal of a read run in status generating', () => {
  const generating = { status: 'generating', current_node: 'price_check' } as const;
  const signal = (state: TurnState, status: RunFacts['status']) => signalOfRun({ state, status, node: 'price_check' }, run(generating));

  it("is 'generate' once, no matter who answered the step for the company", () => {
    for (const state of ['watched', 'open', 'taken', 'answered', 'parked'] as const)
      expect(signal(state, 'awaiting_company')).toBe('generate');
    expect(signal('generating', 'generating')).toBeUndefined();
    expect(signal('parked', 'generating')).toBeUndefined();
  });
});

describe('state table of turns', () => {
  it('lets only its holder, a rule or an operator move a turn, and nothing move an ended one', () => {
    const onOwn = (state: 'open' | 'taken' | 'answered' | 'parked') =>
      linesOf({ [state]: TURN[state] }).filter((line) => !/, (begin|generate|wait|end): /.test(line));

    expect(onOwn('open')).toEqual(['open, take: taken', 'open, answer: answered', 'open, fail: parked, tell parked']);
    expect(onOwn('taken')).toEqual(['taken, release: open, offer', 'taken, answer: answered', 'taken, fail: parked, tell parked']);
    expect(onOwn('answered')).toEqual(['answered, fail: parked, tell parked']);
    expect(onOwn('parked')).toEqual(['parked, resume: open, offer']);
    expect(TURN.ended).toEqual({});
  });

  it('lets a generating run only wait, end or be parked', () => {
    expect(linesOf({ generating: TURN.generating })).toEqual([
      'generating, wait: watched',
      'generating, end: ended',
      'generating, fail: parked, tell parked',
    ]);
    expect(move(TURN, 'parked', 'generate')).toEqual({ next: 'generating', also: [] });
  });

  it('measures an answer only when the platform has moved the run on', () => {
    for (const signal of ['begin', 'generate', 'wait', 'end'] as const)
      expect(move(TURN, 'answered', signal)!.also).toContain('measure answer');
    expect(move(TURN, 'taken', 'wait')!.also).toEqual([]);
  });
});
