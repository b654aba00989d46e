import { Bus, ensureProjection, ensureStream, ProjectionReader, ProjectionWriter } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import { subject } from '@codase/contracts';
import { freePort, startNats, type Nats, type NatsServer } from '@codase/servers';
import { eventually } from '@codase/testing';
import { z } from 'zod';

const THINGS = { bucket: 'things', shape: z.object({ n: z.int() }) };
const EVENT = subject('test.happened.{what}', { stream: 'HAPPENED', message: z.strictObject({}) });
const LOGIN = { user: 'tester', password: 'only-for-tests' };

describe('a NATS cluster of three nodes', () => {
  let nodes: Nats[];
  let urls: string;
  beforeAll(async () => {
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    const routes = ports.map((port) => `nats://127.0.0.1:${port}`);
    const server = JSON.parse(process.env['CODASE_TEST_NATS_SERVER']!) as NatsServer;
    const accounts = { test: { jetstream: true, users: [LOGIN] } };
    nodes = await Promise.all(
      ports.map((port) =>
        startNats(server, { durable: false, config: { accounts, cluster: { name: 'tests', listen: `127.0.0.1:${port}`, routes } } }),
      ),
    );
    urls = nodes.map(({ url }) => url).join(',');
  });
  afterAll(async () => {
    await Promise.all((nodes ?? []).map((node) => node.stop()));
  });

  const connects = (more: object = {}) => Bus.connect({ url: urls, ...LOGIN, name: 'test', log: silentLog, connectSeconds: 60, ...more });
  const replicasOf = async (bus: Bus, stream: string) => (await (await bus.manager()).streams.info(stream)).config.num_replicas;

  it('adds replicas to existing streams, up to its number of nodes, and loses no data with its first node', async () => {
    const operator = await connects();
    const prepares = async (replicas: number) => {
      await ensureStream(operator, 'HAPPENED', [EVENT], { replicas });
      await ensureProjection(operator, THINGS, { replicas });
    };
    await prepares(1);
    await operator.publish(EVENT, { what: 'before' }, {}, 'id-1');
    await (await ProjectionWriter.open(operator, THINGS)).put('a', { n: 1 });

    await prepares(3);
    expect([await replicasOf(operator, 'HAPPENED'), await replicasOf(operator, 'KV_things')]).toEqual([3, 3]);
    await eventually(async () => {
      const { cluster } = await (await operator.manager()).streams.info('KV_things');
      return (cluster?.replicas ?? []).filter(({ current }) => current).length === 2 || undefined;
    });
    const hasty = await connects({ connectSeconds: 0 });
    await expect(ensureStream(hasty, 'HAPPENED', [EVENT], { replicas: 5 })).rejects.toThrow(
      /^the stream HAPPENED could not be prepared: .*: run 5 servers with JetStream in one cluster, or set REPLICAS to 1$/,
    );
    await Promise.all([hasty.close(), operator.close()]);
    nodes[0]!.kill();

    const service = await connects();
    const reader = await eventually(() => ProjectionReader.open(service, THINGS, silentLog).catch(() => undefined));
    expect(reader.get('a')).toEqual({ n: 1 });
    await reader.close();
    await service.close();
  });
});
