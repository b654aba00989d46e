import type { Backend } from '@codase/actors';
import type { UnitName } from '@codase/stack';
import type { WorldOptions } from './options.ts';
import { World, type Database } from './world.ts';

/** A world and the database of its region `eu`, to which the tests of a capability add their verbs. */
export class WorldFixture {
  world!: World;
  /** The database for what no caller sees. */
  db!: Database;
  /** The services that run unless a test asks for others. */
  protected readonly units: readonly UnitName[] = ['front-door', 'region-eu', 'region-us'];

  /** Makes a fixture with an open world. */
  static async open<F extends WorldFixture>(this: new () => F, options: WorldOptions = {}): Promise<F> {
    const fixture = new this();
    await fixture.open(options);
    return fixture;
  }

  /** Makes a fixture in a world that is open already, and that is closed elsewhere. */
  static async in<F extends WorldFixture>(this: new () => F, world: World): Promise<F> {
    const fixture = new this();
    await fixture.enter(world);
    return fixture;
  }

  /** Opens the world of a fixture that was made before, for one that is shared by the parts of a spec. */
  readonly open = async (options: WorldOptions = {}): Promise<void> => {
    await this.enter(await World.open({ units: this.units, ...options }));
  };

  async close(): Promise<void> {
    await this.world?.close();
  }

  get shop(): Backend {
    return this.world.shop;
  }

  /** A person who signs up and connects to the shop. */
  readonly connected = async (region: 'eu' | 'us' = 'eu') => {
    const person = await this.world.signsUp({ type: 'person', region });
    return { person, connection: await person.connections.connects('ACME/SHOP') };
  };

  protected async enter(world: World): Promise<void> {
    this.world = world;
    this.db = await world.opensDatabase('region_eu', { pool: 3 });
  }
}
