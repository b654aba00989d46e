import { FEED, filter, OPEN_VALUE, OPEN_VALUES, operation, runs, START_RUN, valuesOf } from '@codase/contracts';
import type { World } from '@codase/testing';
import { Aims } from '../aimed-faults.ts';
import type { Cleanup } from '../cleanup.ts';
import { watchRows, type RowStep } from '../row-steps.ts';

/** The steps of a run of the order flow, in order. Each can be seen from outside. */
export const RUN_STEPS = [
  'start asked',
  'start noted',
  'start sent',
  'run started',
  'start known',
  'order taken',
  'turn announced',
  'turn open',
  'turn held',
  'answers opened',
  'price noted',
  'price sent',
  'price taken',
  'turn over',
  'run completed',
  'end announced',
  'end noted',
] as const;
export type RunStep = (typeof RUN_STEPS)[number];

const becomes = (column: string, value: string) => `new.${column} = '${value}' and old.${column} is distinct from new.${column}`;
const RUN = { table: 'run', on: 'update', columns: [] } as const;
const FLOW_RUN = { table: 'flow_run', on: 'update', columns: [] } as const;

/** The steps that rows show, by database. The company's home is eu. */
const ROW_STEPS = {
  flows: {
    'start noted': { table: 'run_start', on: 'insert', columns: [] },
    'start known': { table: 'run_start', on: 'update', when: 'new.flow_run_id is not null and old.flow_run_id is null', columns: [] },
    'turn open': { ...RUN, when: becomes('state', 'open') },
    'turn held': { ...RUN, when: becomes('state', 'taken') },
    'price noted': { ...RUN, when: becomes('state', 'answered') },
    'turn over': { ...RUN, when: `old.state = 'answered' and new.state = 'watched'` },
    'end noted': { ...RUN, when: becomes('state', 'ended') },
  },
  region_eu: {
    'run started': { table: 'flow_run', on: 'insert', columns: [] },
    'order taken': { ...FLOW_RUN, when: becomes('status', 'awaiting_company') },
    'price taken': { ...FLOW_RUN, when: becomes('status', 'awaiting_customer') },
    'run completed': { ...FLOW_RUN, when: becomes('status', 'completed') },
  },
} satisfies Record<string, Partial<Record<RunStep, RowStep>>>;

/** Watches runs reach their steps: by its own triggers on the tables, and by the messages on the bus. */
export async function watchRuns(world: World, cleanup: Cleanup): Promise<Aims<RunStep, void>> {
  const aims = new Aims<RunStep, void>();
  const seen = (step: RunStep) => aims.reached(step, undefined);
  for (const [database, steps] of Object.entries(ROW_STEPS))
    await watchRows<RunStep>(world.databaseUrl(database as keyof typeof ROW_STEPS, 'owner'), steps, seen, cleanup);
  const hear = async (account: string, subjects: Readonly<Record<string, (subject: string) => RunStep | undefined>>) => {
    const { connection } = await world.observer(account);
    for (const [subject, stepOf] of Object.entries(subjects))
      connection.subscribe(subject, {
        callback: (_, message) => {
          const step = stepOf(message.subject);
          if (step) seen(step);
        },
      });
    await connection.flush();
  };
  await hear('flows', { [filter(START_RUN)]: () => 'start asked' });
  await hear('gateway', {
    [filter(operation(runs.startRun))]: () => 'start sent',
    [filter(operation(runs.answerRun))]: () => 'price sent',
  });
  await hear('decryptor', { [filter(OPEN_VALUE)]: () => 'answers opened', [filter(OPEN_VALUES)]: () => 'answers opened' });
  await hear('feed-consumer', { [filter(FEED)]: (subject) => ANNOUNCED[valuesOf(FEED, subject)!.event] });
  return aims;
}

const ANNOUNCED: Readonly<Record<string, RunStep>> = { flow_run_turn: 'turn announced', flow_completed: 'end announced' };
