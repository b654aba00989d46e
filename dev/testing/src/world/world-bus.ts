import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { busUsers } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import type { Nats, NatsAccount, NatsConfig } from '@codase/servers';
import { busPassword, REGIONS, type Planes, type Secrets } from '@codase/stack';
import type { Closing } from './closing.ts';
import type { Plane } from './units.ts';

/** How long a test waits for an answer, even on a busy machine. */
const TIMEOUT_MS = 60_000;

/** The bus of a world: connections as any of its users, and its servers, which can be killed, copied and restored. */
export class WorldBus {
  constructor(
    private readonly planes: Planes,
    private readonly nodes: readonly Nats[],
    private readonly closing: Closing,
  ) {}

  /** Connects to the bus as one of its users, with that user's rights and no others. */
  async connect(user: string): Promise<Bus> {
    const address = { url: this.planes.nats.url, ...this.planes.nats.credentials(user), name: user };
    const bus = await Bus.connect({ ...address, log: silentLog, timeoutMs: TIMEOUT_MS });
    this.closing.add(() => bus.close());
    return bus;
  }

  operator(plane: Plane): Promise<Bus> {
    return this.connect(`${plane}-operator`);
  }

  /** Connects to all accounts of a plane as an observer that hears every message and can send none. Returns one bus for each account. */
  observers(plane: Plane): Promise<Bus[]> {
    const accounts = busUsers(REGIONS, []).flatMap((user) => (user.plane === plane ? [user.account] : []));
    return Promise.all(accounts.map((account) => this.observer(account)));
  }

  /** Connects to one account as an observer that hears every message. */
  observer(account: string): Promise<Bus> {
    return this.connect(observerOf(account));
  }

  /** The folder of the bus's streams. */
  get folder(): string {
    return this.first.dir;
  }

  /** Kills the bus, or one node of it, and starts it again after a while with the content of its disk. */
  async restart({ awayMs = 0, node = 0 }): Promise<void> {
    this.nodes[node]!.kill();
    await pause(awayMs);
    await this.nodes[node]!.restart();
  }

  /** Copies the data folder of the bus, as a backup does. The bus is stopped meanwhile. Returns the path of the copy. */
  async copy(): Promise<string> {
    const copy = await mkdtemp(join(tmpdir(), 'codase-nats-copy-'));
    this.closing.add(() => rm(copy, { recursive: true, force: true }));
    await this.whileAway(() => cp(this.streamsFolder, copy, { recursive: true }));
    return copy;
  }

  /** Restarts the bus with the content of a copy and nothing else. */
  async restore(copy: string): Promise<void> {
    await this.whileAway(async () => {
      await rm(this.streamsFolder, { recursive: true });
      await cp(copy, this.streamsFolder, { recursive: true });
    });
  }

  /** The only node, or the first of a cluster. */
  private get first(): Nats {
    return this.nodes[0]!;
  }

  private get streamsFolder(): string {
    return join(this.folder, 'jetstream');
  }

  private async whileAway(work: () => Promise<void>): Promise<void> {
    const { exited } = this.first;
    this.first.kill();
    await exited;
    await work();
    await this.first.restart();
  }
}

/** The name of an account's observer, who hears every message, sends none, and does not change the rights of other users. */
const observerOf = (account: string): string => `observer-${account}`;

export function withObservers({ accounts, ...config }: NatsConfig, secrets: Secrets): NatsConfig {
  const observed = Object.entries(accounts).map(([name, account]): [string, NatsAccount] => {
    const user = observerOf(name);
    const observer = { user, password: busPassword(secrets, user), publish: [], subscribe: ['>'] };
    return [name, { ...account, users: [...account.users, observer] }];
  });
  return { ...config, accounts: Object.fromEntries(observed) };
}
