import { setTimeout as pause } from 'node:timers/promises';
import { execute, openDatabase, sql } from '@codase/runtime/db';
import {
  customerSide,
  HttpFaultProxy,
  ownerSide,
  serviceSide,
  type Company,
  type Person,
  type RunSide,
  type Stranger,
  type World,
} from '@codase/testing';
import type { Cleanup } from '../../cleanup.ts';
import { untilAnswered } from '../../until-answered.ts';
import { REQUEST_ROWS } from './random-flow.ts';
import type { Seat } from './run-model.ts';

type Database = Awaited<ReturnType<typeof openDatabase>>;
type Region = 'eu' | 'us';

export interface Player extends Seat {
  public_key: string;
  region: Region;
  asks: Stranger['asks'];
  side(flowId: string): RunSide;
}

/** A customer, who sometimes leaves the service and comes back with a new connection. */
export interface CustomerPlayer extends Player {
  connection_id: string;
  type: 'person' | 'company';
  reconnects(): Promise<void>;
  opens(wrapper: string): Promise<string>;
}

/** What goes wrong with a request on its way. */
export type Mishap = 'cut before' | 'cut after' | 'lost database';

/** About how long the region works on a request. */
const IN_HAND_MS = 15;
const CONNECTIONS = 10;

/** Where flows are played: a service with two clients, customers in both regions, proxies before the regions that cut connections. */
export class FlowTable {
  /** The values that flows have written to the request fields, by connection and slug. */
  readonly shared = new Map<string, Map<string, string>>();

  private constructor(
    readonly world: World,
    readonly owners: readonly Player[],
    readonly customers: readonly CustomerPlayer[],
    private readonly proxies: Readonly<Record<Region, HttpFaultProxy>>,
    private readonly db: Database,
  ) {}

  static async open(world: World, cleanup: Cleanup): Promise<FlowTable> {
    const [eu, us] = await Promise.all((['eu', 'us'] as const).map((region) => HttpFaultProxy.open({ target: world.regionUrl(region) })));
    cleanup.push(() => Promise.all([eu!.close(), us!.close()]));
    const db = await world.opensDatabase('region_eu');
    cleanup.push(() => db.destroy());
    await world.acme.services.publishesRequest(world.shop.service_id!, REQUEST_ROWS);
    const customers = await Promise.all([
      seatOf('person', await world.signsUp({ type: 'person', region: 'eu' }), 'eu'),
      seatOf('person', await world.signsUp({ type: 'person', region: 'us' }), 'us'),
      seatOf('company', world.bolt, 'us'),
    ]);
    return new FlowTable(world, ownersOf(world), customers, { eu: eu!, us: us! }, db);
  }

  /** Makes a request in which something goes wrong. Afterwards it is unknown whether the request took effect. */
  async with<T>(mishap: Mishap, { region }: Player, ask: (at: string) => Promise<T>): Promise<T> {
    const proxy = this.proxies[region];
    if (mishap === 'lost database') {
      const [answer] = await Promise.allSettled([ask(proxy.url), this.losesDatabase()]);
      await this.recovers();
      if (answer.status === 'rejected') throw answer.reason;
      return answer.value;
    }
    proxy.misbehave(() => mishap);
    try {
      return await ask(proxy.url);
    } finally {
      proxy.heal();
    }
  }

  /** Breaks every database connection of the region that holds the runs, with the work under way. */
  private async losesDatabase(): Promise<void> {
    await pause(Math.random() * IN_HAND_MS);
    await execute(
      this.db,
      sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
  }

  /** Waits until the region has database connections again for as many simultaneous callers. */
  private async recovers(): Promise<void> {
    const asks = () => Promise.all(Array.from({ length: CONNECTIONS }, () => this.world.shop.flows.list({ limit: 1 })));
    await untilAnswered(asks);
  }
}

function ownersOf({ shop, automation }: World): Player[] {
  const { company_user_id: user_id, public_key, service_id } = shop;
  const seat = { user_id, connection_id: null, public_key, region: 'eu' as const };
  return [
    { ...seat, asks: (...call) => shop.asks(...call), side: () => serviceSide(shop) },
    { ...seat, asks: (...call) => automation.asks(...call), side: (flowId) => ownerSide(automation, { id: service_id!, flowId }) },
  ];
}

async function seatOf(type: CustomerPlayer['type'], user: Person | Company, region: Region): Promise<CustomerPlayer> {
  const connects = async () => (await user.connections.connects('ACME/SHOP')).id;
  const player: CustomerPlayer = {
    type,
    region,
    user_id: user.user_id,
    public_key: user.public_key,
    connection_id: await connects(),
    asks: (...call) => user.asks(...call),
    opens: (wrapper) => user.opens(wrapper),
    side: () => customerSide(user, { id: player.connection_id }),
    async reconnects() {
      await user.connections.disconnects({ id: player.connection_id });
      player.connection_id = await connects();
    },
  };
  return player;
}
