import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { openDatabase } from '@codase/runtime/db';
import type { DataSource } from 'typeorm';
import { comesTrue } from '@codase/testing';
import { NotificationListener } from '../../../src/kit/outbox/notification-listener.service.ts';
import { DeliveryWorld } from './delivery-world.ts';

/** A proxy before the database, whose connections can go silent without a sign to either end. */
class Line {
  private readonly ends: Socket[] = [];

  private constructor(
    private readonly server: Server,
    private readonly to: URL,
  ) {}

  static async open(databaseUrl: string): Promise<Line> {
    const [server, to] = [createServer(), new URL(databaseUrl)];
    to.searchParams.delete('host'); // the socket of the server, past this line
    const line = new Line(server, to);
    server.on('connection', (near) => line.join(near));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return line;
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return Object.assign(new URL(this.to), { hostname: '127.0.0.1', port: String(port) }).href;
  }

  /** Open connections carry nothing more. New connections do. */
  goesDead(): void {
    for (const end of this.ends) end.unpipe().pause();
  }

  close(): void {
    this.server.close();
    for (const end of this.ends) end.destroy();
  }

  private join(near: Socket): void {
    const far = connect(Number(this.to.port), this.to.hostname);
    for (const end of [near, far]) end.on('error', () => undefined);
    near.pipe(far).pipe(near);
    this.ends.push(near, far);
  }
}

describe('the database notification listener', () => {
  let world: DeliveryWorld;
  let line: Line;
  let db: DataSource;
  let notifications: NotificationListener;
  const heard: string[] = [];
  beforeAll(async () => {
    world = await DeliveryWorld.open({ units: ['front-door', 'region-eu'] });
    line = await Line.open(world.world.databaseUrl('region_eu', 'delivery'));
    db = await openDatabase({ url: line.url, name: 'delivery', pool: 2 });
    notifications = new NotificationListener(db, { said: (payload) => void heard.push(payload) });
  });
  afterAll(async () => {
    await notifications?.close();
    await db?.destroy();
    line?.close();
    await world?.close();
  });

  it('reconnects when its connection is silently dead, and reports that notifications may be lost', async () => {
    expect(await notifications.listen()).toBe(true);
    expect(await notifications.listen()).toBe(false);
    line.goesDead();

    expect(await notifications.listen()).toBe(true);
    await world.db.query(`select pg_notify('said', 'again')`);
    await comesTrue(async () => expect(heard).toEqual(['again']));
  });
});
