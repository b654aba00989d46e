import { World } from '@codase/testing';
import { aimedFaults, allOf, inTurn, type Part } from '../aimed-faults.ts';
import { restart } from '../faults.ts';
import { BundledProgram, replicaProcess, unitProcess, type ManagedProcess } from '../managed-process.ts';
import { ProcessGroup } from '../process-group.ts';
import { settled } from '../settled.ts';
import { soak, type Scene, type SoakContext, type SoakOptions, type SoakResult } from '../soak.ts';
import { Effects } from '../suite/effects.ts';
import { handlerSettings } from '../suite/handler-settings.ts';
import { parkedOn } from '../stream-state.ts';
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
/** A killed server comes back within this time. */
const AWAY_MS = 1000;
/** When nothing more has arrived for this long, the soak stops waiting at the end. */
const SILENCE_MS = 120_000;

/**
 * Plays runs of a contract flow through both planes while each part is killed at each step of a run. Each started run must end once, with
 * each answer and each file once, and the company's own service must get each turn and each end once.
 */
export const flowKillsSoak = (options: SoakOptions): Promise<SoakResult> => soak(options, openRuns);

async function openRuns(context: SoakContext): Promise<Scene> {
  const { postgres, password, nats, cleanup, progress } = context;
  const world = await World.open({ processes: 'many', units: UNITS, servers: { postgresUrl: postgres.url, nats, durable: true } });
  cleanup.push(() => world.close());
  const effects = await Effects.open(postgres.url, password);
  cleanup.push(() => effects.close());
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
      return {
        lost: ends.lost + answers.lost,
        duplicated: ends.duplicated + answers.duplicated,
        disordered: 0,
        wrong: ends.wrong + answers.wrong,
        runs: started().length,
        parked: await parkedOn(await world.operator('suite')),
        table,
      };
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

const second = (unit: string) => `${unit} 2`;

async function startProcesses(world: World, handler: ManagedProcess, context: SoakContext): Promise<ProcessGroup> {
  const seconds: ManagedProcess[] = [];
  for (const unit of REPLICATED) seconds.push(replicaProcess(second(unit), await world.startsReplica(unit)));
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
    { name: 'NATS', kill: () => world.restartBus({ awayMs: Math.random() * AWAY_MS }) },
    { name: 'Postgres', kill: () => restart(postgres, Math.random() * AWAY_MS) },
  ];
}
