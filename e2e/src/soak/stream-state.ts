import type { Bus } from '@codase/runtime/bus';
import { everyStream } from '@codase/testing';
import { untilAnswered } from './until-answered.ts';

type StreamState = Awaited<ReturnType<Awaited<ReturnType<Bus['manager']>>['streams']['info']>>['state'];

/** Returns the state of a stream. Asks until there is an answer: the NATS client drops requests while it reconnects to a killed server. */
export const streamState = (bus: Bus, stream: string): Promise<StreamState> =>
  untilAnswered(async () => (await (await bus.manager({ checkAPI: false })).streams.info(stream)).state);

export const parkedOn = async (bus: Bus): Promise<number> => (await streamState(bus, 'PARKED')).messages;

/** Whether every stream and bucket has a leader and is up to date on all nodes. Before that, no further node may be lost. */
export async function areReplicasCurrent(operators: readonly Bus[], nodes: number): Promise<boolean> {
  const streams = (await Promise.all(operators.map(everyStream))).flat();
  return streams.every(({ cluster }) => {
    const current = (cluster?.replicas ?? []).filter((replica) => replica.current && !replica.offline);
    return cluster?.leader !== undefined && current.length === nodes - 1;
  });
}
