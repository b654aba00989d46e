import type { Bus } from '@codase/runtime/bus';
import { everyStream } from '@codase/testing';

/** Whether every stream and bucket has a leader and is up to date on all nodes. Before that, no further node may be lost. */
export async function areReplicasCurrent(operators: readonly Bus[], nodes: number): Promise<boolean> {
  const streams = (await Promise.all(operators.map(everyStream))).flat();
  return streams.every(({ cluster }) => {
    const current = (cluster?.replicas ?? []).filter((replica) => replica.current && !replica.offline);
    return cluster?.leader !== undefined && current.length === nodes - 1;
  });
}
