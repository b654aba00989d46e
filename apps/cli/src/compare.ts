import { COMPARE } from '@codase/contracts';
import { DEMO } from '@codase/stack';
import { withBus } from './bus.ts';
import { readOptions, readService, textOr, type Read } from './command.ts';

/** Asks the feed consumer to compare what the platform lists with what it has seen, and to publish what differs. */
export const compare: Read = (words) => {
  const service = readService(readOptions(words, { service: textOr(DEMO.service) }).service);
  return ({ target, print }) =>
    withBus(target.operator('suite')!, async (bus) => {
      await bus.request(COMPARE, { service }, {});
      print(`The connections of ${service} are compared: what differs is published, marked as reconciled.`, { service });
    });
};
