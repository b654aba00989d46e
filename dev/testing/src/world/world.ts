import { randomUUID } from 'node:crypto';
import { newSigningKey, Stranger, VerificationProvider, type Backend, type Company, type Person } from '@codase/actors';
import { OPERATOR, WAITING_REGION_MAIL, type Level, type NewVerificationProvider } from '@codase/contracts';
import { connect, type CodaseClient } from '@codase/client';
import { readSigningKey, signToken } from '@codase/platform';
import type { Bus } from '@codase/runtime/bus';
import { openDatabase } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { startNatsNodes, type Nats } from '@codase/servers';
import { temporaryFolder } from '@codase/servers/temporary-folder';
import type { TraceReceiver } from '@codase/stack/trace-receiver';
import {
  busAccounts,
  busPassword,
  DEMO,
  demo,
  forwarderUrl,
  frontDoorUrl,
  gatewayToken,
  gatewayUrl,
  jetStreamAnswers,
  keyFilesIn,
  prepareBuses,
  provisionStack,
  regionUrl,
  signingKeyFile,
  type BaseName,
  type DatabaseName,
  type Planes,
  type Ports,
  type RegionName,
  type StackDatabases,
  UNIT_NAMES,
  type UnitName,
} from '@codase/stack';
import { StackActors, type RegisteredClient, type SignUp, type UserOf } from '@codase/stack/actors';
import { eventually } from '../eventually.ts';
import { Closing } from './closing.ts';
import { TestDatabases } from './databases.ts';
import { keepStreams, keptStreams } from './kept-streams.ts';
import { serversOfTestRun, type WorldOptions } from './options.ts';
import { worldPorts } from './ports.ts';
import type { Programs, ServiceProcess } from './service-process.ts';
import { sharedCredentials, worldSecrets } from './shared-credentials.ts';
import { isOfPlatform, type Plane } from './units.ts';
import { withObservers, WorldBus } from './world-bus.ts';
import { WorldServices } from './world-services.ts';

export interface Duration {
  hours?: number;
  minutes?: number;
  seconds?: number;
}

export type Database = Awaited<ReturnType<typeof openDatabase>>;

interface OpenedDatabase<N extends DatabaseName> extends Partial<Omit<Parameters<typeof openDatabase>[0], 'url'>> {
  role?: keyof StackDatabases[N];
}

/** A whole running stack on its own databases, with actors for all who take part, and a clock that tests move by call. */
export class World {
  readonly frontDoorUrl: string;
  private readonly closing = new Closing();
  private readonly bus: WorldBus;
  private readonly services: WorldServices;
  private readonly signingKeys = new Map<BaseName, ReturnType<typeof readSigningKey>>();
  private provision!: () => Promise<void>;
  private provisioned: Promise<void> | undefined;
  private reader: Promise<Bus> | undefined;
  private actors!: StackActors;

  private constructor(
    private readonly ports: Ports,
    private readonly planes: Planes,
    nodes: readonly Nats[],
    private readonly databases: TestDatabases,
  ) {
    this.frontDoorUrl = frontDoorUrl(ports);
    this.bus = new WorldBus(planes, nodes, this.closing);
    const prepare = (unit: UnitName) => this.prepareFor(unit);
    this.services = new WorldServices({ planes, ports, bus: this.bus, closing: this.closing, prepare });
  }

  static async open({
    processes = 'one',
    units,
    limits = 'generous',
    channels,
    neighbours = [],
    messageBytes,
    servers = serversOfTestRun(),
    traces = false,
    secretFiles = false,
    temporaryFolder: temporary,
  }: WorldOptions = {}): Promise<World> {
    const folder = secretFiles ? temporaryFolder('secrets') : undefined;
    const secrets = worldSecrets(folder?.path);
    const copyStreams = keptStreams(servers);
    const [databases, nodes, ports] = await Promise.all([
      TestDatabases.open(servers.postgresUrl, units),
      startNatsNodes(
        servers.nats,
        {
          durable: servers.durable,
          fill: copyStreams,
          config: {
            ...withObservers(
              busAccounts(secrets, [{ user: DEMO.consumer, services: [DEMO.service], groups: DEMO.groups }, ...neighbours]),
              secrets,
            ),
            ...(messageBytes !== undefined && { max_payload: messageBytes }),
          },
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
    world.closing.add(
      () => databases.drop(),
      async () => secrets.unmount(),
      async () => folder?.remove(),
      () => Promise.all(nodes.map((node) => node.stop())),
    );
    try {
      if (nodes.length > 1) await jetStreamAnswers(planes);
      if (!copyStreams) {
        await prepareBuses(planes, nodes.length);
        keepStreams(servers, nodes[0]!.dir);
      }
      const people = await demo(secrets, sharedCredentials);
      world.provision = () => (world.provisioned ??= provisionStack(planes, people));
      await world.provisionFor(units ?? UNIT_NAMES);
      world.actors = new StackActors(world.ports, secrets, people, sharedCredentials, (sign_up_id) => world.codeOf(sign_up_id));
      await world.services.startAll({ processes, units, limits, channels, traces, temporary });
      return world;
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  /** The demo company at the portal, its backend with the data client of its service (`shop`), and its account automation client. */
  get acme(): Company {
    return this.actors.company('ACME');
  }

  get shop(): Backend {
    return this.actors.backend(DEMO.client_id);
  }

  get automation(): Backend {
    return this.actors.backend(DEMO.account_client_id);
  }

  /** The same actors of another company, whose home is the other region. */
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

  /** Creates an account through the front door. An operator may give the account a level. */
  async signsUp<T extends 'person' | 'company'>({ level, ...wanted }: SignUp<T> & { level?: Level }): Promise<UserOf<T>> {
    const user = await this.actors.signsUp(wanted as SignUp<T>);
    if (level) await (await this.operator('platform')).request(OPERATOR.setLevel, {}, { user_id: user.user_id, level });
    return user;
  }

  /** Registers a provider that verifies values, and waits until the regions know it. */
  async registersProvider(provider_id = 'idco', changed: Partial<NewVerificationProvider> = {}): Promise<VerificationProvider> {
    const provider = new VerificationProvider(this.frontDoorUrl, provider_id, newSigningKey(), () => this.now);
    const operator = await this.operator('platform');
    await operator.request(OPERATOR.addVerificationProvider, {}, { ...provider.registration, ...changed });
    for (const region of ['eu', 'us'] as const)
      await eventually(async () => (await provider.isKnownAt(this.regionUrl(region))) || undefined);
    return provider;
  }

  /** Returns the waiting mails of the front door, newest first: no relay sends them here. */
  async mails() {
    this.reader ??= this.operator('platform');
    return (await (await this.reader).request(OPERATOR.waitingMail, {}, {})).mails;
  }

  /** Returns the waiting mails of a region, newest first. They confirm admin e-mails. */
  async regionMails(region: string) {
    this.reader ??= this.operator('platform');
    return (await (await this.reader).request(WAITING_REGION_MAIL, { region }, {})).mails;
  }

  /** Returns the code that was mailed for a sign-up. */
  async codeOf(sign_up_id: string): Promise<string> {
    const mail = (await this.mails()).find((one) => one.sign_up_id === sign_up_id);
    if (!mail?.code) throw new Error('no mail with a code was written for this sign-up');
    return mail.code;
  }

  /** Returns a backend of a company, with a client that was registered later. */
  backendOf(company: Company, client: RegisteredClient): Backend {
    return this.actors.backendOf(company, client);
  }

  /** Connects an internal service of the company to the suite's bus. */
  async internalService({ service = DEMO.service as string } = {}): Promise<CodaseClient> {
    const client = await connect({ ...this.internalAddress, service, log: silentLog });
    this.closing.add(() => client.close());
    return client;
  }

  /** The address and credentials of the demo's internal service, for one in its own process. */
  get internalAddress(): { url: string; user: string; password: string } {
    return this.addressOf(DEMO.consumer);
  }

  /** Returns the bus address and the password of a user. */
  addressOf(user: string): { url: string; user: string; password: string } {
    return { url: this.planes.nats.url, user, password: busPassword(this.planes.secrets, user) };
  }

  /** Makes a token as the front door would, or as the holder of another base's key could, for a test that is not about getting tokens. */
  mints({ client_id, sub }: { client_id: string; sub: string }, base: BaseName = 'front-door'): Promise<string> {
    const key = this.signingKeys.get(base) ?? readSigningKey(this.planes.secrets.known(signingKeyFile(base)));
    this.signingKeys.set(base, key);
    return signToken(key, this.services.clock.now(), { iss: this.frontDoorUrl, sub, client_id, gen: 1, jti: randomUUID() });
  }

  /** The key files of the platform, in a world with secret files. */
  get keyFiles() {
    return keyFilesIn(this.planes.secrets);
  }

  /** The current time by the services' clock. */
  get now(): Date {
    return this.services.now;
  }

  regionUrl(region: RegionName): string {
    return regionUrl(this.ports, region);
  }

  get forwarderUrl(): string {
    return forwarderUrl(this.ports);
  }

  /** Returns the address at which the feed consumer receives the webhook deliveries of a service. */
  hookUrl(service: string): string {
    return `http://127.0.0.1:${this.ports.serving['feed-consumer']}/hooks/${service}`;
  }

  /** The address of the gateway's HTTP server, and the token of the demo's internal service. */
  get gatewayHttp(): { url: string; token: string } {
    return { url: gatewayUrl(this.ports), token: gatewayToken(this.planes.secrets) };
  }

  /** Returns the address of a service's probes and metrics. */
  opsUrl(unit: UnitName): string {
    return `http://127.0.0.1:${this.ports.ops[unit]}`;
  }

  /** All databases, with the address for each role. */
  get databaseUrls(): StackDatabases {
    return this.planes.databases;
  }

  /** Returns the address of a database with a role of it: its service's, or its owner's, which may change tables. */
  databaseUrl<N extends DatabaseName>(name: N, role: keyof StackDatabases[N] = 'app'): string {
    return this.planes.databases[name][role] as string;
  }

  /** Opens a database for a test that reads or changes it. The world closes it at its end. */
  async opensDatabase<N extends DatabaseName>(name: N, { role, ...options }: OpenedDatabase<N> = {}): Promise<Database> {
    const database = await openDatabase({ url: this.databaseUrl(name, role), name: 'test', pool: 1, ...options });
    this.closing.add(async () => (database.isInitialized ? database.destroy() : undefined));
    return database;
  }

  /** The receiver of the processes' spans, in a world that was opened with `traces`. */
  get traces(): TraceReceiver | undefined {
    return this.services.traces;
  }

  /** Connects to the bus as the operator of a plane. */
  operator(plane: Plane): Promise<Bus> {
    return this.bus.operator(plane);
  }

  /** Connects to all accounts of a plane as an observer that hears every message and can send none. Returns one bus for each account. */
  observers(plane: Plane): Promise<Bus[]> {
    return this.bus.observers(plane);
  }

  /** Connects to one account as an observer that hears every message. */
  observer(account: string): Promise<Bus> {
    return this.bus.observer(account);
  }

  /** The folder of the bus's streams. */
  get busFolder(): string {
    return this.bus.folder;
  }

  /** Connects to the bus as one of its users, with that user's rights and no others. */
  busAs(user: string): Promise<Bus> {
    return this.bus.connect(user);
  }

  /** Lets time pass. Nothing in the stack reads any other clock. */
  passes({ hours = 0, minutes = 0, seconds = 0 }: Duration): Promise<void> {
    return this.services.passes(((hours * 60 + minutes) * 60 + seconds) * 1000);
  }

  /** Starts a service that the world was opened without, or that was stopped. Its settings may differ. */
  starts(name: UnitName, env: Record<string, string> = {}): Promise<void> {
    return this.services.start(name, env);
  }

  /** Starts one more process of a service, with its own ports. */
  startsReplica(name: UnitName, ports?: { port: number; opsPort: number }, release?: Programs): Promise<ServiceProcess> {
    return this.services.startReplica(name, ports, release);
  }

  /** Returns the port at which callers reach a service, for a balancer in front of its replicas. */
  servingPort(unit: keyof Ports['serving']): number {
    return this.ports.serving[unit];
  }

  /** Returns the process id of a service that has its own process. */
  pidOf(unit: UnitName): number {
    return this.services.process(unit).pid!;
  }

  /** Ends a service as a crash would. */
  kill(unit: UnitName): Promise<void> {
    return this.services.process(unit).kill();
  }

  /** Whether the process of a service runs, or is starting. */
  isUp(unit: UnitName): boolean {
    return this.services.process(unit).isUp;
  }

  /** Makes a service hang, with its connections open, until it is thawed or killed. */
  freeze(unit: UnitName): void {
    this.services.process(unit).freeze();
  }

  thaw(unit: UnitName): void {
    this.services.process(unit).thaw();
  }

  /** Asks a service to shut down in order. Returns the exit code of its process, or null when it runs in this process. */
  stop(unit: UnitName): Promise<number | null> {
    return this.services.stop(unit);
  }

  restart(unit: UnitName): Promise<void> {
    return this.services.restart(unit);
  }

  /**
   * Restarts a service like `restart`, but in the process of the test, which costs a second of CPU less. Used after the last kill of a
   * service.
   */
  comesBack(unit: UnitName): Promise<void> {
    return this.services.resumeHere(unit);
  }

  logOf(unit: UnitName): string {
    return this.services.process(unit).log;
  }

  /** Kills the bus, or one node of it, and starts it again after a while with the content of its disk. */
  restartBus({ awayMs = 0, node = 0 } = {}): Promise<void> {
    return this.bus.restart({ awayMs, node });
  }

  /** Copies the data folder of the bus, as a backup does. The bus is stopped meanwhile. Returns the path of the copy. */
  copiesBus(): Promise<string> {
    return this.bus.copy();
  }

  /** Restarts the bus with the content of a copy and nothing else. */
  restoresBus(copy: string): Promise<void> {
    return this.bus.restore(copy);
  }

  /** Closes everything, even when a part fails, and then throws the first error. */
  close(): Promise<void> {
    return this.closing.close();
  }

  private async prepareFor(unit: UnitName): Promise<void> {
    await this.databases.prepareFor(unit);
    await this.provisionFor([unit]);
  }

  /**
   * Adds the users of the world when they are missing. When the databases have them already, the front door publishes the clients at its
   * start, and nothing else is missing.
   */
  private async provisionFor(units: readonly UnitName[]): Promise<void> {
    if (this.databases.arePopulated && units.includes('front-door')) this.provisioned ??= Promise.resolve();
    else if (units.some(isOfPlatform)) await this.provision();
  }
}
