import type { RunStatus } from '@cds/contracts';
import { awaitedParty, isOpenRun, to, type Absent, type Table } from '@cds/domain';

/**
 * A run as the suite keeps it. It is `watched` while another party acts, `open` when the company's turn waits for somebody, `taken` while
 * somebody has it, `answered` when its sealed answers are on their way to the platform, `parked` when it cannot go on by itself.
 */
export type TurnState = Absent | 'watched' | 'open' | 'taken' | 'answered' | 'parked' | 'ended';
/**
 * What happens to it. The first three are what the platform says: the company's turn begins at a node, the run waits for another party, it
 * is over. `release` is a turn handed back or held for too long, `fail` one that is given up for good.
 */
export type TurnSignal = 'begin' | 'wait' | 'end' | 'take' | 'release' | 'fail' | 'answer' | 'resume';
/** What else must happen. */
export type TurnEffect = 'offer' | 'measure answer' | 'tell parked';

const LEAVES = { wait: to('watched'), end: to('ended') } as const;
const BEGINS = { begin: to('open', 'offer'), ...LEAVES } as const;

/**
 * Only what the platform says moves a run on, so a submit whose answer was lost is settled by reading the run. A node is visited once, as a
 * flow has no cycles: the same turn never begins again.
 */
export const TURN: Table<TurnState, TurnSignal, TurnEffect> = {
  none: BEGINS,
  watched: BEGINS,
  open: { ...BEGINS, take: to('taken'), answer: to('answered'), fail: to('parked', 'tell parked') },
  taken: { ...BEGINS, release: to('open', 'offer'), answer: to('answered'), fail: to('parked', 'tell parked') },
  answered: {
    begin: to('open', 'measure answer', 'offer'),
    wait: to('watched', 'measure answer'),
    end: to('ended', 'measure answer'),
    fail: to('parked', 'tell parked'),
  },
  parked: { ...BEGINS, resume: to('open', 'offer') },
  ended: {},
};

/** What of a run on the platform decides whose turn it is. */
export interface RunFacts {
  status: RunStatus;
  current_node: string | null;
  bindings: Readonly<Record<string, string>>;
  company_user_id: string;
}

/** Whether the company must answer now. */
export function isOurTurn({ status, bindings, company_user_id }: RunFacts): boolean {
  const party = awaitedParty(status);
  return party !== undefined && Object.hasOwn(bindings, party) && bindings[party] === company_user_id;
}

/** What a read of the run means for what is kept of it; undefined where it is still the same turn. @spec D2-3 */
export function signalOfRun(kept: { state: TurnState; node: string | null }, run: RunFacts): TurnSignal | undefined {
  if (!isOpenRun(run.status)) return 'end';
  if (!isOurTurn(run)) return 'wait';
  const isKnown = kept.node === run.current_node && !['none', 'watched'].includes(kept.state);
  return isKnown ? undefined : 'begin';
}
