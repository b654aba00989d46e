import { EventName, OPEN_VALUES, type ToOpen } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { DEMO } from '@codase/stack';
import { readNumber } from '@codase/command-line';
import { withBus } from './bus.ts';
import { FLAG, oneOf, readOptions, readService, TEXT, textOr, type Read } from './command.ts';
import { hearLive } from './live-events.ts';
import { eventLine, SEALED_MEMBERS, type AnyEvent, type Clear } from './event-line.ts';

/** Prints the events of a service as they come. */
export const listen: Read = (words) => {
  const values = readOptions(words, { service: textOr(DEMO.service), event: TEXT, open: FLAG, most: TEXT });
  const service = readService(values.service);
  const kind = values.event === undefined ? undefined : oneOf(EventName.options, 'A kind', values.event);
  const most = readNumber('--most', values.most) ?? Infinity;
  return async ({ target, print, note, signal }) => {
    const login = target.consumer();
    const user = login.user ?? DEMO.consumer;
    const enough = new AbortController();
    const ready = () => note(`listening to ${service} as ${user}; Ctrl-C ends it`);
    let heard = 0;
    await withBus({ ...login, user }, (bus) =>
      hearLive(bus, { user, service, signal: AbortSignal.any([signal, enough.signal]), ready }, async (message) => {
        const event = message.json<AnyEvent>();
        if ((kind !== undefined && event.event !== kind) || heard >= most) return;
        heard += 1;
        const clear = values.open ? await opened(bus, service, event) : undefined;
        print(eventLine(event, clear), { ...event, ...(clear && { clear }) });
        if (heard >= most) enough.abort();
      }),
    );
  };
};

/** Returns the sealed members of an event, opened by the decryptor. A member that does not open has the error key as its text. */
async function opened(bus: Bus, service: string, event: AnyEvent): Promise<Clear> {
  const sealed = SEALED_MEMBERS.filter((member) => typeof event[member] === 'string');
  if (sealed.length === 0) return {};
  const values = sealed.map((member) => ({ value: event[member] }) as ToOpen);
  const { items } = await bus.request(OPEN_VALUES, { service }, { values });
  return Object.fromEntries(sealed.map((member, i) => [member, textOf(items[i]!)]));
}

const textOf = (item: { plaintext: string } | { error_key: string }): string =>
  'plaintext' in item ? item.plaintext : `(${item.error_key})`;
