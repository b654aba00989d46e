import { randomUUID } from 'node:crypto';
import { Stranger, type Backend, type Company, type Person } from '@cds/actors';
import { OPERATOR, WAITING_REGION_MAIL, type Level } from '@cds/contracts';
import { connect, type CdsClient } from '@cds/client';
import { readSigningKey, signToken } from '@cds/platform';
import type { Bus } from '@cds/runtime/bus';
import { silentLog } from '@cds/runtime/telemetry';
import { startNatsNodes, type Nats } from '@cds/servers';
import { temporaryFolder } from '@cds/servers/temporary-folder';
import type { TraceReceiver } from '@cds/servers/trace-receiver';
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
} from '@cds/stack';
import { StackActors, type RegisteredClient, type SignUp, type UserOf } from '@cds/stack/actors';
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

/** A whole running stack on databases of its own, with hands for everyone who acts in it, and a clock that passes by call. */
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
    this.closing.add(() => client.close());
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
    return signToken(key, this.services.clock.now(), { iss: this.frontDoorUrl, sub, client_id, gen: 1, jti: randomUUID() });
  }

  /** The files of the keys of the platform, in a world with files. */
  get keyFiles() {
    return keyFilesIn(this.planes.secrets);
  }

  /** What the clock of the services shows. */
  get now(): Date {
    return this.services.now;
  }

  regionUrl(region: RegionName): string {
    return regionUrl(this.ports, region);
  }

  get forwarderUrl(): string {
    return forwarderUrl(this.ports);
  }

  /** Where the feed consumer takes the deliveries of a service's webhook. */
  hookUrl(service: string): string {
    return `http://127.0.0.1:${this.ports.serving['feed-consumer']}/hooks/${service}`;
  }

  /** The gateway's HTTP server, and what the demo's internal service shows there. */
  get gatewayHttp(): { url: string; token: string } {
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

  /** A database as its service reaches it, for a story that looks into it. */
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

  /** Where the spans of its processes go, in a world that was opened with `traces`. */
  get traces(): TraceReceiver | undefined {
    return this.services.traces;
  }

  /** The bus as an operator of a plane sees it. */
  operator(plane: Plane): Promise<Bus> {
    return this.bus.operator(plane);
  }

  /** Everything that is said in a plane: one bus for each of its accounts, on which nothing can be said. */
  observers(plane: Plane): Promise<Bus[]> {
    return this.bus.observers(plane);
  }

  /** Everything that is said in one account. */
  observer(account: string): Promise<Bus> {
    return this.bus.observer(account);
  }

  /** The folder in which the bus keeps its streams. */
  get busFolder(): string {
    return this.bus.folder;
  }

  /** The bus as one of its users sees it, with that user's rights and no others. */
  busAs(user: string): Promise<Bus> {
    return this.bus.connect(user);
  }

  /** Lets time pass; nothing in the stack reads any other clock. */
  passes({ hours = 0, minutes = 0, seconds = 0 }: Duration): Promise<void> {
    return this.services.passes(((hours * 60 + minutes) * 60 + seconds) * 1000);
  }

  /** Starts a service that the world was opened without, or that has left; its settings may differ. */
  starts(name: UnitName, env: Record<string, string> = {}): Promise<void> {
    return this.services.start(name, env);
  }

  /** One more process of a service, with ports of its own. */
  startsReplica(name: UnitName, ports?: { port: number; opsPort: number }, release?: Programs): Promise<ServiceProcess> {
    return this.services.startReplica(name, ports, release);
  }

  /** Where callers reach a service, for a balancer before its replicas. */
  servingPort(unit: keyof Ports['serving']): number {
    return this.ports.serving[unit];
  }

  /** The process of a service that has its own. */
  pidOf(unit: UnitName): number {
    return this.services.process(unit).pid!;
  }

  /** Ends a service as a crash would. */
  kill(unit: UnitName): Promise<void> {
    return this.services.process(unit).kill();
  }

  /** Whether its process runs, or is about to. */
  isUp(unit: UnitName): boolean {
    return this.services.process(unit).isUp;
  }

  /** A service hangs, with its connections open, until it is thawed or killed. */
  freeze(unit: UnitName): void {
    this.services.process(unit).freeze();
  }

  thaw(unit: UnitName): void {
    this.services.process(unit).thaw();
  }

  /** Asks a service to leave in order; answers the exit code of its process, if it has one of its own. */
  stop(unit: UnitName): Promise<number | null> {
    return this.services.stop(unit);
  }

  restart(unit: UnitName): Promise<void> {
    return this.services.restart(unit);
  }

  /** As `restart`, after the last kill of a service: it comes back in the process of the test, which costs a second of CPU less. */
  comesBack(unit: UnitName): Promise<void> {
    return this.services.resumeHere(unit);
  }

  logOf(unit: UnitName): string {
    return this.services.process(unit).log;
  }

  /** The bus, or a node of it, goes away as a crash would take it, for a while, and comes back with what its disk holds. */
  restartBus({ awayMs = 0, node = 0 } = {}): Promise<void> {
    return this.bus.restart({ awayMs, node });
  }

  /** Copies what the bus has on its disk, as a backup of its data folder does. It is away meanwhile. Answers where the copy is. */
  copiesBus(): Promise<string> {
    return this.bus.copy();
  }

  /** The bus comes back with what a copy holds, and nothing else. */
  restoresBus(copy: string): Promise<void> {
    return this.bus.restore(copy);
  }

  /** All of it, also where a part does not end well; the first such fault is thrown. */
  close(): Promise<void> {
    return this.closing.close();
  }

  private async prepareFor(unit: UnitName): Promise<void> {
    await this.databases.prepareFor(unit);
    await this.provisionFor([unit]);
  }

  /** Where the databases have everybody in them, the front door publishes the clients when it starts, and nothing else is missing. */
  private async provisionFor(units: readonly UnitName[]): Promise<void> {
    if (this.databases.arePopulated && units.includes('front-door')) this.provisioned ??= Promise.resolve();
    else if (units.some(isOfPlatform)) await this.provision();
  }
}
