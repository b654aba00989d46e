import type { Bus } from '@cds/runtime/bus';
import { untilAnswered } from './until-answered.ts';

type StreamState = Awaited<ReturnType<Awaited<ReturnType<Bus['manager']>>['streams']['info']>>['state'];

/** Asks until there is an answer: the client of NATS drops what is asked while it reconnects to a server that was killed. */
export const streamState = (bus: Bus, stream: string): Promise<StreamState> =>
  untilAnswered(async () => (await (await bus.manager({ checkAPI: false })).streams.info(stream)).state);

/** Messages that a consumer gave up. */
export const parkedOn = async (bus: Bus): Promise<number> => (await streamState(bus, 'PARKED')).messages;
