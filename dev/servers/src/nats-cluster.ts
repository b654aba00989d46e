import { randomBytes } from 'node:crypto';
import { freePort } from './free-port.ts';
import type { NatsServer } from './nats-command.ts';
import type { NatsCluster } from './nats-config.ts';
import { startNats, type Nats, type NatsOptions } from './nats.ts';

/** The cluster settings of one node: the port where it listens for other nodes, and the ports of those. All nodes share one password. */
export const clusterOf = (port: number, others: readonly number[], password: string): NatsCluster => ({
  name: 'codase',
  listen: `127.0.0.1:${port}`,
  authorization: { user: 'node', password },
  routes: others.map((other) => `nats-route://node:${encodeURIComponent(password)}@127.0.0.1:${other}`),
});

/** Starts the nodes of a cluster on free ports, each in a temporary folder. A single node is a server without a cluster. */
export async function startNatsNodes(
  server: NatsServer,
  { config, durable, fill }: Pick<NatsOptions, 'config' | 'durable' | 'fill'>,
  count: number,
): Promise<Nats[]> {
  if (count === 1) return [await startNats(server, { config, durable, fill })];
  const password = randomBytes(12).toString('hex');
  const ports: number[] = [];
  for (let i = 0; i < count; i++) ports.push(await freePort());
  const started = await Promise.allSettled(
    ports.map((port, i) => {
      const others = ports.filter((_, j) => j !== i);
      return startNats(server, { durable, name: `nats-${i + 1}`, config: { ...config, cluster: clusterOf(port, others, password) } });
    }),
  );
  const nodes = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = started.find((one) => one.status === 'rejected');
  if (!failed) return nodes;
  await Promise.all(nodes.map((node) => node.stop()));
  throw failed.reason;
}
