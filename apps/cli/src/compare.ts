import { COMPARE } from '@codase/contracts';
import { DEMO } from '@codase/stack';
import { readArguments } from '@codase/command-line';
import { withBus } from './bus.ts';
import { noWords, readService, type Read } from './command.ts';

/** Asks the feed consumer to compare what the platform lists with what it has seen, and to publish what differs. */
export const compare: Read = (words) => {
  const { values, positionals } = readArguments(words, { service: { type: 'string', default: DEMO.service as string } });
  noWords(positionals);
  const service = readService(values.service);
  return ({ target, print }) =>
    withBus(target.operator('suite')!, async (bus) => {
      await bus.request(COMPARE, { service }, {});
      print(`The connections of ${service} are compared: what differs is published, marked as reconciled.`, { service });
      return 0;
    });
};
