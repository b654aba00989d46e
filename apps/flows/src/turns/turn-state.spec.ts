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

describe('whose turn it is @spec D2-3', () => {
  it.each([
    ['awaiting_company', true],
    ['awaiting_customer', false],
    ['awaiting_signature', false],
    ['awaiting_stranger', false],
    ['awaiting_toString', false],
    ['generating', false],
    ['completed', false],
  ] as const)('%s: %s', (status, ours) => {
    expect(isOurTurn(run({ status }))).toBe(ours);
  });
});

describe('who has the documents generated @spec D2-1.6', () => {
  it.each([
    ['generating', 'price_check', true],
    ['generating', 'agree', false],
    ['generating', 'unheard_of', false],
    ['generating', null, false],
    ['awaiting_company', 'price_check', false],
    ['awaiting_signature', 'price_check', false],
  ] as const)('%s at %s: %s', (status, current_node, ours) => {
    expect(isOursToGenerate(run({ status, current_node }))).toBe(ours);
  });
});

describe('what a read of the run means', () => {
  const signal = (state: TurnState, node: string | null, change: Partial<RunFacts> = {}, status: RunFacts['status'] = 'awaiting_company') =>
    signalOfRun({ state, node, status }, run(change));

  it('is a turn that begins, where it was not known', () => {
    expect(signal('watched', 'ask')).toBe('begin');
    expect(signal('watched', 'price_check')).toBe('begin');
    expect(signal('answered', 'quote')).toBe('begin');
  });

  it('is nothing, while the same turn goes on', () => {
    for (const state of ['open', 'taken', 'answered', 'parked'] as const) expect(signal(state, 'price_check')).toBeUndefined();
  });

  it('is the turn of another, or the end', () => {
    expect(signal('answered', 'price_check', { status: 'awaiting_customer' })).toBe('wait');
    expect(signal('taken', 'agree', { status: 'generating', current_node: 'agree' })).toBe('wait');
    expect(signal('generating', 'price_check', { status: 'awaiting_signature' })).toBe('wait');
    expect(signal('taken', 'price_check', { status: 'cancelled', current_node: null })).toBe('end');
  });
});

describe('a read of a run whose documents are to be generated', () => {
  const generating = { status: 'generating', current_node: 'price_check' } as const;
  const signal = (state: TurnState, status: RunFacts['status']) => signalOfRun({ state, status, node: 'price_check' }, run(generating));

  it('says so once, whoever answered the step for the company', () => {
    for (const state of ['watched', 'open', 'taken', 'answered', 'parked'] as const)
      expect(signal(state, 'awaiting_company')).toBe('generate');
    expect(signal('generating', 'generating')).toBeUndefined();
    expect(signal('parked', 'generating')).toBeUndefined();
  });
});

describe('the table of turns', () => {
  it('lets nobody but its holder, a rule or an operator move a turn, and nothing move what has ended', () => {
    const onOwn = (state: 'open' | 'taken' | 'answered' | 'parked') =>
      linesOf({ [state]: TURN[state] }).filter((line) => !/, (begin|generate|wait|end): /.test(line));

    expect(onOwn('open')).toEqual(['open, take: taken', 'open, answer: answered', 'open, fail: parked, tell parked']);
    expect(onOwn('taken')).toEqual(['taken, release: open, offer', 'taken, answer: answered', 'taken, fail: parked, tell parked']);
    expect(onOwn('answered')).toEqual(['answered, fail: parked, tell parked']);
    expect(onOwn('parked')).toEqual(['parked, resume: open, offer']);
    expect(TURN.ended).toEqual({});
  });

  it('lets a run that is generating only be read, cancelled or parked', () => {
    expect(linesOf({ generating: TURN.generating })).toEqual([
      'generating, wait: watched',
      'generating, end: ended',
      'generating, fail: parked, tell parked',
    ]);
    expect(move(TURN, 'parked', 'generate')).toEqual({ next: 'generating', also: [] });
  });

  it('measures an answer only when the platform has gone on', () => {
    for (const signal of ['begin', 'generate', 'wait', 'end'] as const)
      expect(move(TURN, 'answered', signal)!.also).toContain('measure answer');
    expect(move(TURN, 'taken', 'wait')!.also).toEqual([]);
  });
});
