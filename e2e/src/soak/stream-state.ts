import type { Bus } from '@codase/runtime/bus';
import { untilAnswered } from './until-answered.ts';

type StreamState = Awaited<ReturnType<Awaited<ReturnType<Bus['manager']>>['streams']['info']>>['state'];

/** Returns the state of a stream. Asks until there is an answer: the NATS client drops requests while it reconnects to a killed server. */
export const streamState = (bus: Bus, stream: string): Promise<StreamState> =>
  untilAnswered(async () => (await (await bus.manager({ checkAPI: false })).streams.info(stream)).state);

export const parkedOn = async (bus: Bus): Promise<number> => (await streamState(bus, 'PARKED')).messages;
