import type { World } from '@codase/testing';
import { aimedFaults, allOf, inTurn, second, serverParts, type Part } from '../aimed-faults.ts';
import { BundledProgram, secondReplicas, unitProcess, type ManagedProcess } from '../managed-process.ts';
import { ProcessGroup } from '../process-group.ts';
import { openWorld, soak, type Scene, type SoakContext, type SoakOptions, type SoakResult } from '../soak.ts';
import { Effects } from '../suite/effects.ts';
import { handlerSettings } from '../suite/handler-settings.ts';
import { parkedOn } from '../stream-state.ts';
import { addUp, settled } from '../tally.ts';
import { untilAnswered } from '../until-answered.ts';
import { FlowPlayer } from './flow-player.ts';
import { judgeAnswers, judgeEnds } from './judge-runs.ts';
import { publishOrderFlow } from './order-flow.ts';
import { RUN_STEPS, watchRuns, type RunStep } from './run-steps.ts';

const UNITS = ['front-door', 'region-eu', 'region-us', 'gateway', 'feed-consumer', 'decryptor', 'flows'] as const;
/** The services with two replicas, so that one continues. */
const REPLICATED = ['gateway', 'flows'] as const;
const HANDLER = 'handler';
/** The number of players. Each plays one run at a time, and half of them live in each region. */
const PLAYERS = 10;
/** When nothing more has arrived for this long, the soak stops waiting at the end. */
const SILENCE_MS = 120_000;

/** Plays runs while each part is killed at each step. Each run ends once, with each answer once, and each turn is heard once. */
export const flowKillsSoak = (options: SoakOptions): Promise<SoakResult> => soak(options, openRuns);

async function openRuns(context: SoakContext): Promise<Scene> {
  const { cleanup, progress } = context;
  const world = await openWorld(context, { processes: 'many', units: UNITS });
  const effects = await Effects.open(context);
  const flow = await publishOrderFlow(world.acme, world.shop.service_id!);
  const players = await seatPlayers(world, flow, progress);
  const started = () => players.flatMap((player) => player.started);
  const aims = await watchRuns(world, cleanup);
  const handler = new BundledProgram(HANDLER, 'soak-handler', handlerSettings(world, effects.url, flow));
  const processes = await startProcesses(world, handler, context);
  const { faults, table } = aimedFaults(partsOf(world, processes, context), RUN_STEPS, aims);
  const finished = () => players.reduce((all, player) => all + player.finished, 0);
  return {
    processes,
    faults,
    waitsForAll: false,
    wellMs: { least: 100, most: 500 },
    counts: () => ({ events: finished(), started: started().length }),
    load: async (isOver) => void (await Promise.all(players.map((player) => player.playsUntil(isOver)))),
    judge: async () => {
      const ends = await settled(async () => judgeEnds(world.shop, flow, started(), await effects.correspondence()), SILENCE_MS);
      const answers = await judgeAnswers(world.shop, started());
      const parked = await parkedOn(await world.operator('suite'));
      return { ...addUp(ends, answers), runs: started().length, parked, table };
    },
  };
}

async function seatPlayers(world: World, flow_id: string, say: (line: string) => void): Promise<FlowPlayer[]> {
  const codase = await world.internalService();
  return Promise.all(
    Array.from({ length: PLAYERS }, async (_, nth) => {
      const person = await world.signsUp({ type: 'person', region: nth % 2 === 0 ? 'eu' : 'us' });
      const connection = await person.connections.connects('ACME/SHOP');
      const asking = { untilAnswered: <T>(_kind: string, ask: () => Promise<T>) => untilAnswered(ask), say };
      return new FlowPlayer({ person, connection, codase, flow_id, pauseMs: 0, hasScan: true, ...asking });
    }),
  );
}

async function startProcesses(world: World, handler: ManagedProcess, context: SoakContext): Promise<ProcessGroup> {
  const seconds = await secondReplicas(world, REPLICATED);
  return ProcessGroup.of([...UNITS.map((name) => unitProcess(world, name)), ...seconds, handler], context);
}

function partsOf(world: World, processes: ProcessGroup, { postgres }: SoakContext): Part<RunStep, void>[] {
  const kill = (name: string) => processes.kill(name);
  const alone = ['decryptor', 'feed-consumer', HANDLER].map((name) => inTurn(name, [name], kill));
  return [
    ...REPLICATED.map((unit) => allOf(`both ${unit}`, [unit, second(unit)], kill)),
    inTurn('one flows', ['flows', second('flows')], kill),
    inTurn("the company's region", ['region-eu'], kill),
    inTurn("a customer's region", ['region-us'], kill),
    ...alone,
    ...serverParts(world, postgres),
  ];
}
