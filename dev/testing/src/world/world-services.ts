import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { CLOCK_MOVED } from '@codase/contracts';
import { ManualClock, type Clock } from '@codase/runtime/clock';
import { freePort } from '@codase/servers';
import { TraceReceiver } from '@codase/stack/trace-receiver';
import { clientSecret, DEMO, describeUnits, type Planes, type Ports, type Unit, UNIT_NAMES, type UnitName } from '@codase/stack';
import type { Closing } from './closing.ts';
import { bucketsOf, runsApart, type Limits, type Processes } from './options.ts';
import { ServiceProcess, type Programs } from './service-process.ts';
import { CHEAP_HASH } from './shared-credentials.ts';
import { busUserOf, planeOf, PLANES, START_HERE, type ServiceHere } from './units.ts';
import type { WorldBus } from './world-bus.ts';

/** The options that the services of a world are started with. */
interface ServicesOptions {
  processes: Processes;
  units: readonly UnitName[] | undefined;
  limits: Limits;
  channels: Record<string, object> | undefined;
  traces: boolean;
  /** The folder for temporary files; the usual one when absent. */
  temporary: string | undefined;
}

/** The parts of a world that its services run on. */
interface ServicesContext {
  planes: Planes;
  ports: Ports;
  bus: WorldBus;
  closing: Closing;
  /** Called before a service is started: makes its databases, with the users of the world. */
  prepare: (unit: UnitName) => Promise<void>;
}

/** The services of a world, each in this process or in its own, and the clock that they all read. */
export class WorldServices {
  /** The receiver of the processes' spans, in a world that reads them. */
  traces: TraceReceiver | undefined;
  /** The clock, which stands still except when `passes` is called. */
  readonly clock = new ManualClock(new Date());
  private readonly processes = new Map<UnitName, ServiceProcess>();
  private readonly here = new Map<UnitName, ServiceHere>();
  /** Describes how a service of this world is started, whether it was started or not. */
  private describe!: (unit: UnitName) => { unit: Unit; isApart: boolean };
  /** The clock of the services in this process. It stands still, unless other services have their own processes, where time goes on. */
  private clockHere: Clock = this.clock;
  private passed = 0;

  constructor(private readonly context: ServicesContext) {}

  async startAll({ processes, units: wanted, limits, channels, traces, temporary }: ServicesOptions): Promise<void> {
    const { planes, ports } = this.context;
    const buckets = bucketsOf(limits);
    if (processes !== 'one') this.clockHere = { now: () => new Date(Date.now() + this.passed) };
    if (processes !== 'one' && traces) {
      this.traces = await TraceReceiver.open();
      this.context.closing.add(() => this.traces!.close());
    }
    const services = { [DEMO.service]: { client_id: DEMO.client_id, client_secret: clientSecret(planes.secrets, DEMO.client_id) } };
    const settings = {
      ...planes,
      ports,
      services,
      clock: processes === 'one' ? ('system' as const) : ('followed' as const),
      passwordHashCost: CHEAP_HASH.ln,
      sealCheck: 'never' as const, // it would start a process with fonts for each region
      ...(buckets && { limits: buckets }),
      ...(channels && { channels }),
      ...(this.traces && { traces: this.traces.url }),
    };
    this.describe = (name) => {
      const unit = describeUnits(settings, [name])[0]!;
      const env = { ...unit.env, ...(temporary !== undefined && { TMPDIR: temporary }) };
      return { unit: { ...unit, env }, isApart: runsApart(processes, name) };
    };
    const units = UNIT_NAMES.filter((name) => !wanted || wanted.includes(name)).map(this.describe);
    const [apart, here] = [true, false].map((isApart) => units.filter((one) => one.isApart === isApart).map(({ unit }) => unit));
    await Promise.all([this.spawnAll(apart!), this.startAllHere(here!)]);
  }

  /** The current time by the services' clock. */
  get now(): Date {
    return this.clockHere.now();
  }

  async passes(ms: number): Promise<void> {
    this.passed += ms;
    this.clock.passes(ms);
    if (this.processes.size > 0) await this.moveClocks();
  }

  /** Starts a service that was not started at the beginning, or that was stopped. Its settings may differ. */
  async start(name: UnitName, env: Record<string, string>): Promise<void> {
    const { unit, isApart } = this.describe(name);
    const started = { ...unit, env: { ...unit.env, ...env } };
    await this.context.prepare(name);
    await (isApart ? this.spawn(started) : this.startHere(started));
  }

  /** Starts one more process of a service, with its own ports. */
  async startReplica(name: UnitName, ports?: { port: number; opsPort: number }, release?: Programs): Promise<ServiceProcess> {
    const { unit } = this.describe(name);
    const { port, opsPort } = ports ?? { port: await freePort(), opsPort: await freePort() };
    const own = { OPS_PORT: String(opsPort), ...(unit.port !== undefined && { PORT: String(port) }) };
    const replica = new ServiceProcess({ ...unit, env: { ...unit.env, ...own, ...(unit.env['REPLICA'] && { REPLICA: randomUUID() }) } });
    if (release) replica.startsFrom(release);
    await this.context.prepare(name);
    this.context.closing.add(() => replica.kill());
    await replica.start();
    return replica;
  }

  /** Returns the process of a service that has its own. */
  process(unit: UnitName): ServiceProcess {
    const process = this.processes.get(unit);
    if (!process) throw new Error(`${unit} runs in no process of its own: open the world with processes: 'many'`);
    return process;
  }

  /** Asks a service to shut down in order. Returns the exit code of its process, or null when it runs in this process. */
  async stop(unit: UnitName): Promise<number | null> {
    const service = this.here.get(unit);
    if (!service) return this.process(unit).stop();
    await service.close();
    return null;
  }

  async restart(unit: UnitName): Promise<void> {
    await this.process(unit).kill();
    await this.process(unit).start();
    if (this.passed > 0) await this.moveClocks();
  }

  /** Kills a service's process and starts the service again in this process, with the same settings. */
  async resumeHere(unit: UnitName): Promise<void> {
    const process = this.process(unit);
    await process.kill();
    this.processes.delete(unit);
    await this.startHere(process.unit);
  }

  /** Starts as many processes at once as there are cores: more would only delay each other. */
  private async spawnAll(units: readonly Unit[]): Promise<void> {
    const waiting = [...units];
    const oneByOne = async () => {
      for (let unit = waiting.shift(); unit; unit = waiting.shift()) await this.spawn(unit);
    };
    await Promise.all(Array.from({ length: availableParallelism() }, oneByOne));
  }

  private async spawn(unit: Unit): Promise<void> {
    const process = new ServiceProcess(unit);
    this.processes.set(unit.name, process);
    this.context.closing.add(() => process.kill()); // the process is not needed any more, so an orderly shutdown would waste time
    await process.start();
  }

  private async startAllHere(units: readonly Unit[]): Promise<void> {
    for (const unit of units) await this.startHere(unit);
  }

  private async startHere({ name, env }: Unit): Promise<void> {
    process.env['LOG_LEVEL'] ??= 'silent';
    const service = await START_HERE[name](env, { clock: this.clockHere });
    this.here.set(name, service);
    this.context.closing.add(() => service.close());
  }

  /** Sets the clocks of all processes, and waits until each process confirms the new time. */
  private async moveClocks(): Promise<void> {
    for (const plane of PLANES) {
      const bus = await this.context.bus.operator(plane);
      const followers = [...this.processes.keys()].filter((unit) => planeOf(unit) === plane);
      const moved = followers.map((unit) =>
        bus.request(CLOCK_MOVED, { name: busUserOf(unit) }, { offset_ms: this.passed }, { timeout: 120_000 }),
      );
      await Promise.all(moved);
    }
  }
}
