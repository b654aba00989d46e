import type { RunStatus } from '@codase/contracts';
import { awaitedParty, isOpenRun, to, type Absent, type Table } from '@codase/domain';

/**
 * The state of a run in the suite. It is `watched` while another party acts, `open` when the company's turn waits for a taker, `taken`
 * while a taker has it, `answered` when its sealed answers are on their way to the platform, `generating` while the company has the
 * documents made, `parked` when it cannot go on by itself.
 */
export type TurnState = Absent | 'watched' | 'open' | 'taken' | 'answered' | 'generating' | 'parked' | 'ended';
/**
 * What happens to a run. The first four come from the platform: the company's turn begins at a node, the company must have the documents of
 * a leaf generated, the run waits for another party, the run is over. `release` means that a turn is handed back or was held for too long,
 * `fail` that the run cannot go on by itself.
 */
type TurnSignal = 'begin' | 'generate' | 'wait' | 'end' | 'take' | 'release' | 'fail' | 'answer' | 'resume';
/** What else must happen when a run moves. */
export type TurnEffect = 'offer' | 'measure answer' | 'tell parked';

const LEAVES = { wait: to('watched'), end: to('ended') } as const;
const BEGINS = { begin: to('open', 'offer'), generate: to('generating'), ...LEAVES } as const;

/**
 * Only the platform's state moves a run to the next turn, so after a submission whose answer was lost, reading the run shows how it ended.
 * A node is visited once, because a flow has no cycles: the same turn never begins again.
 */
export const TURN: Table<TurnState, TurnSignal, TurnEffect> = {
  none: BEGINS,
  watched: BEGINS,
  open: { ...BEGINS, take: to('taken'), answer: to('answered'), fail: to('parked', 'tell parked') },
  taken: { ...BEGINS, release: to('open', 'offer'), answer: to('answered'), fail: to('parked', 'tell parked') },
  answered: {
    begin: to('open', 'measure answer', 'offer'),
    generate: to('generating', 'measure answer'),
    wait: to('watched', 'measure answer'),
    end: to('ended', 'measure answer'),
    fail: to('parked', 'tell parked'),
  },
  generating: { ...LEAVES, fail: to('parked', 'tell parked') },
  parked: { ...BEGINS, resume: to('open', 'offer') },
  ended: {},
};

/** The part of a run on the platform that decides whose turn it is. */
export interface RunFacts {
  status: RunStatus;
  current_node: string | null;
  bindings: Readonly<Record<string, string>>;
  company_user_id: string;
  definition: { nodes: readonly { key: string; party: string }[] };
}
/** The part of a stored run that shows what is known of the platform's run. */
interface Known {
  state: TurnState;
  status: RunStatus;
  node: string | null;
}

const isCompany = ({ bindings, company_user_id }: RunFacts, party: string | undefined): boolean =>
  party !== undefined && Object.hasOwn(bindings, party) && bindings[party] === company_user_id;

/** Whether the company must answer now. */
export const isOurTurn = (run: RunFacts): boolean => isCompany(run, awaitedParty(run.status));

/** Whether the company answered the last step, and so has the documents generated. @spec D2-1.6 */
export const isOursToGenerate = (run: RunFacts): boolean =>
  run.status === 'generating' && isCompany(run, run.definition.nodes.find(({ key }) => key === run.current_node)?.party);

/** Whether a parked run waits for its documents, not for an answer: only the platform moves it from one to the other. */
export const isParkedGeneration = ({ state, status }: Pick<Known, 'state' | 'status'>): boolean =>
  state === 'parked' && status === 'generating';

/** Returns what the platform's state of a run means for the stored run. Undefined when nothing has changed. @spec D2-3 */
export function signalOfRun(kept: Known, run: RunFacts): TurnSignal | undefined {
  if (!isOpenRun(run.status)) return 'end';
  if (isOursToGenerate(run)) return kept.state === 'generating' || isParkedGeneration(kept) ? undefined : 'generate';
  if (!isOurTurn(run)) return 'wait';
  const isKnown = kept.node === run.current_node && !['none', 'watched'].includes(kept.state);
  return isKnown ? undefined : 'begin';
}
