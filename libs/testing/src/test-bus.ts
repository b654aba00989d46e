import { Bus } from '@cds/runtime/bus';
import { silentLog, type Log } from '@cds/runtime/telemetry';
import { startNats, type Nats, type NatsServer } from '@cds/servers';
import { required } from './required.ts';

/** A NATS server for one test, with a single account that may do everything. */
export class TestBus {
  private readonly opened: Bus[] = [];

  private constructor(readonly nats: Nats) {}

  static async open(): Promise<TestBus> {
    const config = { accounts: { test: { jetstream: true, users: [{ user: 'tester', password: PASSWORD }] } } };
    return new TestBus(await startNats(JSON.parse(required('CDS_TEST_NATS_SERVER')) as NatsServer, { durable: false, config }));
  }

  get credentials(): { url: string; user: string; password: string } {
    return { url: this.nats.url, user: 'tester', password: PASSWORD };
  }

  async connect({ log = silentLog }: { log?: Log } = {}): Promise<Bus> {
    const bus = await Bus.connect({ ...this.credentials, name: 'test', log });
    this.opened.push(bus);
    return bus;
  }

  async close(): Promise<void> {
    await Promise.all(this.opened.map((bus) => bus.close()));
    await this.nats.stop();
  }
}

const PASSWORD = 'only-for-tests';
