import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Stranger, type Backend, type Company, type Person } from '@cds/actors';
import { busUsers, CLOCK_MOVED, OPERATOR, RATE_LIMITS, WAITING_REGION_MAIL, type Level } from '@cds/contracts';
import { connect, type CdsClient } from '@cds/client';
import { Config as DecryptorConfig, start as startDecryptor } from '@cds/decryptor';
import { Config as FeedConsumerConfig, start as startFeedConsumer } from '@cds/feed-consumer';
import { Config as FlowsConfig, start as startFlows } from '@cds/flows';
import { Config as GatewayConfig, start as startGateway } from '@cds/gateway';
import { readSigningKey, ROLES, signToken } from '@cds/platform';
import { Bus } from '@cds/runtime/bus';
import { ManualClock, type Clock } from '@cds/runtime/clock';
import { readConfig } from '@cds/runtime/config';
import { silentLog } from '@cds/runtime/telemetry';
import { Config as TwofaConfig, start as startTwofa } from '@cds/twofa';
import { freePort, startNatsNodes, type Nats, type NatsAccount, type NatsConfig, type NatsServer } from '@cds/servers';
import {
  busAccounts,
  busPassword,
  clientSecret,
  DEMO,
  demo,
  describeUnits,
  frontDoorUrl,
  gatewayToken,
  gatewayUrl,
  jetStreamAnswers,
  keyFilesIn,
  prepareBuses,
  provisionStack,
  regionUrl,
  REGIONS,
  Secrets,
  signingKeyFile,
  type BaseName,
  type DatabaseName,
  type Planes,
  type Ports,
  type RegionName,
  UNIT_NAMES,
  type Unit,
  type UnitName,
  type StackDatabases,
} from '@cds/stack';
import { required } from '../required.ts';
import { temporaryFolder } from '@cds/servers/temporary-folder';
import { TraceReceiver } from '@cds/servers/trace-receiver';
import { StackActors, type RegisteredClient, type SignUp, type UserOf } from '@cds/stack/actors';
import { TestDatabases } from './databases.ts';
import { worldPorts } from './ports.ts';
import { ServiceProcess, type Programs } from './service-process.ts';
import { CHEAP_HASH, sharedCredentials } from './shared-credentials.ts';

export interface WorldOptions {
  /**
   * `one`: every service in this process, quick to open. `many`: each in a process of its own, which can be killed and traced. A list:
   * these in processes of their own, the others here: a process takes more than a second of CPU to start. Time stands still in `one` alone.
   */
  processes?: Processes;
  /** Which services to start; all when absent. */
  units?: readonly UnitName[];
  /** Rate limits: out of the way unless a story is about them. `tiny`: every bucket holds one call. */
  limits?: Limits;
  /** How the feed consumer gets the events of each service; it drains them when absent. */
  channels?: Record<string, object>;
  /** Internal services on the suite's bus beside the demo's own. */
  neighbours?: readonly { user: string; services: readonly string[]; groups?: readonly string[] }[];
  /** Servers of its own, for a story that kills them; those of the test run when absent. */
  servers?: Servers;
  /** Whether its secrets lie in files, as in the default stack: for a story that replaces them. */
  secretFiles?: boolean;
  /** Whether the spans of its processes are sent to `world.traces`, for a story that looks at them. */
  traces?: boolean;
}

export interface Servers {
  /** Of a superuser. */
  postgresUrl: string;
  nats: NatsServer;
  /** Whether the bus writes through to the disk, as in production. */
  durable: boolean;
  /** Of the cluster that the bus is, with every stream on all of them; it is one server when absent. */
  nodes?: number;
}

const ofTestRun = (): Servers => ({
  postgresUrl: required('CDS_TEST_POSTGRES_URL'),
  nats: JSON.parse(required('CDS_TEST_NATS_SERVER')) as NatsServer,
  durable: false,
});

/** Time stands still in a world, so a bucket would never fill again. */
const GENEROUS = { burst: 1_000_000, per_second: 1_000 };
const TINY = { burst: 1, per_second: 0.1 };
type Limits = 'generous' | 'real' | 'tiny';

const bucketsOf = (limits: Limits) =>
  limits === 'real'
    ? undefined
    : Object.fromEntries(Object.entries(RATE_LIMITS).map(([name]) => [name, limits === 'tiny' ? TINY : GENEROUS]));

type Processes = 'one' | 'many' | readonly UnitName[];

const runsApart = (processes: Processes, unit: UnitName) => processes === 'many' || (processes !== 'one' && processes.includes(unit));

interface Starting {
  processes: Processes;
  units: readonly UnitName[] | undefined;
  limits: Limits;
  channels: Record<string, object> | undefined;
  traces: boolean;
}

export interface Duration {
  hours?: number;
  minutes?: number;
  seconds?: number;
}

/** A whole running stack on databases of its own, with hands for everyone who acts in it, and a clock that passes by call. */
export class World {
  readonly frontDoorUrl: string;
  private readonly closing: (() => Promise<unknown>)[] = [];
  private readonly processes = new Map<UnitName, ServiceProcess>();
  /** The services that run in this process. */
  private readonly here = new Map<UnitName, RunningHere>();
  /** How a service of this world is started, whether it was or not. */
  private describe!: (unit: UnitName) => { unit: Unit; isApart: boolean };
  private readonly clock = new ManualClock(new Date());
  private readonly signingKeys = new Map<BaseName, ReturnType<typeof readSigningKey>>();
  /** Of the services here: it stands still, unless others have processes of their own, where time goes on. */
  private clockHere: Clock = this.clock;
  private passed = 0;
  private provision!: () => Promise<void>;
  private provisioned: Promise<void> | undefined;
  private reader: Promise<Bus> | undefined;
  private actors!: StackActors;
  traces: TraceReceiver | undefined;

  private constructor(
    private readonly ports: Ports,
    private readonly planes: Planes,
    private readonly nodes: readonly Nats[],
    private readonly databases: TestDatabases,
  ) {
    this.frontDoorUrl = frontDoorUrl(ports);
  }

  static async open({
    processes = 'one',
    units,
    limits = 'generous',
    channels,
    neighbours = [],
    servers = ofTestRun(),
    traces = false,
    secretFiles = false,
  }: WorldOptions = {}): Promise<World> {
    const folder = secretFiles ? temporaryFolder('secrets') : undefined;
    const secrets = new Secrets(folder?.path);
    const [databases, nodes, ports] = await Promise.all([
      TestDatabases.open(servers.postgresUrl, units),
      startNatsNodes(
        servers.nats,
        {
          durable: servers.durable,
          config: withObservers(
            busAccounts(secrets, [{ user: DEMO.consumer, services: [DEMO.service], groups: DEMO.groups }, ...neighbours]),
            secrets,
          ),
        },
        servers.nodes ?? 1,
      ),
      worldPorts(),
    ]);
    const planes: Planes = {
      databases: databases.urls,
      secrets,
      nats: { url: nodes.map(({ url }) => url).join(','), credentials: (user) => ({ user, password: busPassword(secrets, user) }) },
    };
    const world = new World(ports, planes, nodes, databases);
    world.closing.push(
      () => databases.drop(),
      async () => secrets.unmount(),
      async () => folder?.remove(),
      () => Promise.all(nodes.map((node) => node.stop())),
    );
    try {
      if (nodes.length > 1) await jetStreamAnswers(planes);
      await prepareBuses(planes, nodes.length);
      const people = await demo(secrets, sharedCredentials);
      world.provision = () => (world.provisioned ??= provisionStack(planes, people));
      if ((units ?? UNIT_NAMES).some(isOfPlatform)) await world.provision();
      world.actors = new StackActors(world.ports, secrets, people, sharedCredentials, (sign_up_id) => world.codeOf(sign_up_id));
      await world.startUnits({ processes, units, limits, channels, traces });
      return world;
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  /** The demo company at the portal, its backend with the data client of its service, and its account automation client. */
  get acme(): Company {
    return this.actors.company('ACME');
  }

  get shop(): Backend {
    return this.actors.backend(DEMO.client_id);
  }

  get automation(): Backend {
    return this.actors.backend(DEMO.account_client_id);
  }

  /** The same of another company, which lives in the other region. */
  get bolt(): Company {
    return this.actors.company('BOLT');
  }

  get boltShop(): Backend {
    return this.actors.backend(DEMO.bolt.client_id);
  }

  get boltAutomation(): Backend {
    return this.actors.backend(DEMO.bolt.account_client_id);
  }

  get stranger(): Stranger {
    return new Stranger(this.frontDoorUrl);
  }

  person(share_code: string): Person {
    return this.actors.person(share_code);
  }

  /** Somebody new creates an account through the front door; an operator may give it a level. */
  async signsUp<T extends 'person' | 'company'>({ level, ...wanted }: SignUp<T> & { level?: Level }): Promise<UserOf<T>> {
    const user = await this.actors.signsUp(wanted as SignUp<T>);
    if (level) await (await this.operator('platform')).request(OPERATOR.setLevel, {}, { user_id: user.user_id, level });
    return user;
  }

  /** The mails of the front door that wait, newest first: no relay sends them here. */
  async mails() {
    this.reader ??= this.operator('platform');
    return (await (await this.reader).request(OPERATOR.waitingMail, {}, {})).mails;
  }

  /** The mails of a region that wait, newest first: they confirm admin e-mails. */
  async regionMails(region: string) {
    this.reader ??= this.operator('platform');
    return (await (await this.reader).request(WAITING_REGION_MAIL, { region }, {})).mails;
  }

  /** The code that was mailed for a sign-up. */
  async codeOf(sign_up_id: string): Promise<string> {
    const mail = (await this.mails()).find((one) => one.sign_up_id === sign_up_id);
    if (!mail?.code) throw new Error('no mail with a code was written for this sign-up');
    return mail.code;
  }

  /** A backend of a company, with a client that was registered meanwhile. */
  backendOf(company: Company, client: RegisteredClient): Backend {
    return this.actors.backendOf(company, client);
  }

  /** An internal service of the company, connected to the suite's bus. */
  async internalService({ service = DEMO.service as string } = {}): Promise<CdsClient> {
    const client = await connect({ ...this.internalAddress, service, log: silentLog });
    this.closing.push(() => client.close());
    return client;
  }

  /** Where and as whom the demo's internal service connects, for one in a process of its own. */
  get internalAddress(): { url: string; user: string; password: string } {
    return this.addressOf(DEMO.consumer);
  }

  /** Where a user of the bus connects, and with which password. */
  addressOf(user: string): { url: string; user: string; password: string } {
    return { url: this.planes.nats.url, user, password: busPassword(this.planes.secrets, user) };
  }

  /** A token as the front door would mint it now, or whoever has the key of another base, for a story that is not about getting one. */
  mints({ client_id, sub }: { client_id: string; sub: string }, base: BaseName = 'front-door'): Promise<string> {
    const key = this.signingKeys.get(base) ?? readSigningKey(this.planes.secrets.known(signingKeyFile(base)));
    this.signingKeys.set(base, key);
    return signToken(key, this.clock.now(), { iss: this.frontDoorUrl, sub, client_id, gen: 1, jti: randomUUID() });
  }

  /** The files of the keys of the platform, in a world with files. */
  get keyFiles() {
    return keyFilesIn(this.planes.secrets);
  }

  /** What the clock of the services shows. */
  get now(): Date {
    return this.clockHere.now();
  }

  regionUrl(region: RegionName): string {
    return regionUrl(this.ports, region);
  }

  /** Where the feed consumer takes the deliveries of a service's webhook. */
  hookUrl(service: string): string {
    return `http://127.0.0.1:${this.ports.serving['feed-consumer']}/hooks/${service}`;
  }

  /** The gateway's HTTP door, and what the demo's internal service shows there. */
  get gatewayDoor(): { url: string; token: string } {
    return { url: gatewayUrl(this.ports), token: gatewayToken(this.planes.secrets) };
  }

  /** Where a service's probes and metrics answer. */
  opsUrl(unit: UnitName): string {
    return `http://127.0.0.1:${this.ports.ops[unit]}`;
  }

  /** All databases, with the address of each role. */
  get databaseUrls(): StackDatabases {
    return this.planes.databases;
  }

  /** A database as its service reaches it, for a story that looks behind the doors. */
  databaseUrl(name: DatabaseName): string {
    return this.planes.databases[name].app;
  }

  /** The same as its owner reaches it, who may change its tables. */
  ownerDatabaseUrl(name: DatabaseName): string {
    return this.planes.databases[name].owner;
  }

  /** The same as the delivery reaches it. */
  deliveryDatabaseUrl(region: RegionName): string {
    return this.planes.databases[`region_${region}`].delivery;
  }

  /** The bus as an operator of a plane sees it. */
  operator(plane: 'platform' | 'suite'): Promise<Bus> {
    return this.busAs(`${plane}-operator`);
  }

  /** Everything that is said in a plane: one bus for each of its accounts, on which nothing can be said. */
  async observers(plane: 'platform' | 'suite'): Promise<Bus[]> {
    const accounts = busUsers(REGIONS).flatMap((user) => (user.plane === plane ? [user.account] : []));
    return Promise.all(accounts.map((account) => this.observer(account)));
  }

  /** Everything that is said in one account. */
  observer(account: string): Promise<Bus> {
    return this.busAs(observerOf(account));
  }

  /** The folder in which the bus keeps its streams. */
  get busFolder(): string {
    return this.nats.dir;
  }

  /** The bus as one of its users sees it, with that user's rights and no others. */
  async busAs(user: string): Promise<Bus> {
    const bus = await Bus.connect({ url: this.planes.nats.url, ...this.planes.nats.credentials(user), name: user, log: silentLog });
    this.closing.push(() => bus.close());
    return bus;
  }

  /** Lets time pass; nothing in the stack reads any other clock. */
  async passes({ hours = 0, minutes = 0, seconds = 0 }: Duration): Promise<void> {
    const ms = ((hours * 60 + minutes) * 60 + seconds) * 1000;
    this.passed += ms;
    this.clock.passes(ms);
    if (this.processes.size > 0) await this.moveClocks();
  }

  /** Starts a service that the world was opened without, or that has left; its settings may differ. */
  async starts(name: UnitName, env: Record<string, string> = {}): Promise<void> {
    const { unit, isApart } = this.describe(name);
    const started = { ...unit, env: { ...unit.env, ...env } };
    await this.databases.prepareFor(name);
    if (isOfPlatform(name)) await this.provision();
    await (isApart ? this.spawn(started) : this.startHere(started));
  }

  /** One more process of a service, with ports of its own. */
  async startsReplica(name: UnitName, ports?: { port: number; opsPort: number }, release?: Programs): Promise<ServiceProcess> {
    const { unit } = this.describe(name);
    const { port, opsPort } = ports ?? { port: await freePort(), opsPort: await freePort() };
    const own = { OPS_PORT: String(opsPort), ...(unit.port !== undefined && { PORT: String(port) }) };
    const replica = new ServiceProcess({ ...unit, env: { ...unit.env, ...own, ...(unit.env['REPLICA'] && { REPLICA: randomUUID() }) } });
    if (release) replica.startsFrom(release);
    await this.databases.prepareFor(name);
    if (isOfPlatform(name)) await this.provision();
    this.closing.push(() => replica.kill());
    await replica.start();
    return replica;
  }

  /** Where callers reach a service, for a balancer before its replicas. */
  servingPort(unit: keyof Ports['serving']): number {
    return this.ports.serving[unit];
  }

  /** The process of a service that has its own. */
  pidOf(unit: UnitName): number {
    return this.process(unit).pid!;
  }

  /** Ends a service as a crash would. */
  kill(unit: UnitName): Promise<void> {
    return this.process(unit).kill();
  }

  /** Whether its process runs, or is about to. */
  isUp(unit: UnitName): boolean {
    return this.process(unit).isUp;
  }

  /** A service hangs, with its connections open, until it is thawed or killed. */
  freeze(unit: UnitName): void {
    this.process(unit).freeze();
  }

  thaw(unit: UnitName): void {
    this.process(unit).thaw();
  }

  /** Asks a service to leave in order; answers the exit code of its process, if it has one of its own. */
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

  logOf(unit: UnitName): string {
    return this.process(unit).log;
  }

  /** The bus, or a node of it, goes away as a crash would take it, for a while, and comes back with what its disk holds. */
  async restartBus({ awayMs = 0, node = 0 } = {}): Promise<void> {
    this.nodes[node]!.kill();
    await pause(awayMs);
    await this.nodes[node]!.restart();
  }

  /** Copies what the bus has on its disk, as a backup of its data folder does. It is away meanwhile. Answers where the copy is. */
  async copiesBus(): Promise<string> {
    const copy = await mkdtemp(join(tmpdir(), 'cds-nats-copy-'));
    this.closing.push(() => rm(copy, { recursive: true, force: true }));
    await this.whileBusIsAway(() => cp(this.streamsFolder, copy, { recursive: true }));
    return copy;
  }

  /** The bus comes back with what a copy holds, and nothing else. */
  async restoresBus(copy: string): Promise<void> {
    await this.whileBusIsAway(async () => {
      await rm(this.streamsFolder, { recursive: true });
      await cp(copy, this.streamsFolder, { recursive: true });
    });
  }

  /** The only node, or the first of a cluster. */
  private get nats(): Nats {
    return this.nodes[0]!;
  }

  private get streamsFolder(): string {
    return join(this.nats.dir, 'jetstream');
  }

  private async whileBusIsAway(work: () => Promise<void>): Promise<void> {
    const { exited } = this.nats;
    this.nats.kill();
    await exited;
    await work();
    await this.nats.restart();
  }

  /** All of it, also where a part does not end well; the first such fault is thrown. */
  async close(): Promise<void> {
    const faults: unknown[] = [];
    for (const close of this.closing.splice(0).toReversed()) await close().catch((fault: unknown) => faults.push(fault));
    if (faults.length > 0) throw faults[0];
  }

  private process(unit: UnitName): ServiceProcess {
    const process = this.processes.get(unit);
    if (!process) throw new Error(`${unit} runs in no process of its own: open the world with processes: 'many'`);
    return process;
  }

  private async startUnits({ processes, units: wanted, limits, channels, traces }: Starting): Promise<void> {
    const buckets = bucketsOf(limits);
    if (processes !== 'one') this.clockHere = { now: () => new Date(Date.now() + this.passed) };
    if (processes !== 'one' && traces) {
      this.traces = await TraceReceiver.open();
      this.closing.push(() => this.traces!.close());
    }
    const services = { [DEMO.service]: { client_id: DEMO.client_id, client_secret: clientSecret(this.planes.secrets, DEMO.client_id) } };
    const settings = {
      ...this.planes,
      ports: this.ports,
      services,
      clock: processes === 'one' ? ('system' as const) : ('followed' as const),
      passwordHashCost: CHEAP_HASH.ln,
      ...(buckets && { limits: buckets }),
      ...(channels && { channels }),
      ...(this.traces && { traces: this.traces.url }),
    };
    this.describe = (name) => ({ unit: describeUnits(settings, [name])[0]!, isApart: runsApart(processes, name) });
    const units = UNIT_NAMES.filter((name) => !wanted || wanted.includes(name)).map(this.describe);
    const [apart, here] = [true, false].map((isApart) => units.filter((one) => one.isApart === isApart).map(({ unit }) => unit));
    await Promise.all([this.spawnAll(apart!), this.startAllHere(here!)]);
  }

  /** As many at once as there are cores: more would only make each other late. */
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
    this.closing.push(() => process.kill()); // nobody needs it any more, so it need not spend time on leaving in order
    await process.start();
  }

  private async startAllHere(units: readonly Unit[]): Promise<void> {
    for (const unit of units) await this.startHere(unit);
  }

  private async startHere({ name, env }: Unit): Promise<void> {
    process.env['LOG_LEVEL'] ??= 'silent';
    const service = await HERE[name](env, { clock: this.clockHere });
    this.here.set(name, service);
    this.closing.push(() => service.close());
  }

  /** Every process answers that it has the new time before the story goes on. */
  private async moveClocks(): Promise<void> {
    for (const plane of ['platform', 'suite'] as const) {
      const bus = await this.operator(plane);
      const followers = [...this.processes.keys()].filter((unit) => PLANE[unit] === plane);
      const moved = followers.map((unit) =>
        bus.request(CLOCK_MOVED, { name: busUserOf(unit) }, { offset_ms: this.passed }, { timeout: 120_000 }),
      );
      await Promise.all(moved);
    }
  }
}

/** A user of each account who hears everything there, says nothing, and changes nobody's rights. */
const observerOf = (account: string): string => `observer-${account}`;

function withObservers({ accounts, ...config }: NatsConfig, secrets: Secrets): NatsConfig {
  const observed = Object.entries(accounts).map(([name, account]): [string, NatsAccount] => {
    const user = observerOf(name);
    const observer = { user, password: busPassword(secrets, user), publish: [], subscribe: ['>'] };
    return [name, { ...account, users: [...account.users, observer] }];
  });
  return { ...config, accounts: Object.fromEntries(observed) };
}

interface RunningHere {
  close(): Promise<void>;
}
type Start = (env: Record<string, string>, options: { clock: Clock }) => Promise<RunningHere>;

const HERE: Record<UnitName, Start> = {
  'front-door': (env, options) => ROLES['front-door'].start(env, '', options),
  'region-eu': (env, options) => ROLES.region.start(env, '', options),
  'region-us': (env, options) => ROLES.region.start(env, '', options),
  delivery: (env, options) => ROLES.delivery.start(env, '', options),
  forwarder: (env, options) => ROLES.forwarder.start(env, '', options),
  gateway: (env, options) => startGateway(readConfig(GatewayConfig, env), options),
  'feed-consumer': (env, options) => startFeedConsumer(readConfig(FeedConsumerConfig, env), options),
  decryptor: (env, options) => startDecryptor(readConfig(DecryptorConfig, env), options),
  flows: (env, options) => startFlows(readConfig(FlowsConfig, env), options),
  twofa: (env, options) => startTwofa(readConfig(TwofaConfig, env), options),
};

/** The bus user of a unit, which is also the name it answers by there. */
const busUserOf = (unit: UnitName): string => (isOfPlatform(unit) ? `platform-${unit}` : unit);

const isOfPlatform = (unit: UnitName) => PLANE[unit] === 'platform';

const PLANE: Record<UnitName, 'platform' | 'suite'> = {
  'front-door': 'platform',
  'region-eu': 'platform',
  'region-us': 'platform',
  delivery: 'platform',
  forwarder: 'platform',
  gateway: 'suite',
  'feed-consumer': 'suite',
  decryptor: 'suite',
  flows: 'suite',
  twofa: 'suite',
};
