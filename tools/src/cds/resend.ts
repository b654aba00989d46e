import { RESEND } from '@cds/contracts';
import { DEMO } from '@cds/testing/stack';
import { readArguments, UsageFault } from '../command/command.ts';
import { withBus } from '../command/nats.ts';
import { noWords, readService, type Read } from './command.ts';
import { readMoment } from './moment.ts';

const OPTIONS = { service: { type: 'string', default: DEMO.service as string }, from: { type: 'string' }, to: { type: 'string' } } as const;
/** As long as a page of thousands may take. */
const PAGE_MS = 60_000;

/** How many it has sent, and where to go on. */
type Page = { events: number; next: string | null };

/** Has the feed consumer send a stored time once more, page by page. */
export const resend: Read = (words) => {
  const { values, positionals } = readArguments(words, OPTIONS);
  noWords(positionals);
  const service = readService(values.service);
  const now = new Date();
  if (values.from === undefined) throw new UsageFault('--from is missing: say from when on, such as --from 2h.');
  const from = readMoment('--from', values.from, now);
  const to = values.to === undefined ? now : readMoment('--to', values.to, now);
  if (to <= from) throw new UsageFault('--to is not after --from: swap them.');
  return ({ place, print, note, signal }) =>
    withBus(place.operator('suite')!, async (bus) => {
      let events = 0;
      for (let after: string | null = '0'; after !== null && !signal.aborted; ) {
        const asked = { from: from.toISOString(), to: to.toISOString(), after };
        const page: Page = await bus.request(RESEND, { service }, asked, { timeout: PAGE_MS });
        events += page.events;
        after = page.next;
        if (after !== null) note(`${events} events so far …`);
      }
      const rest = signal.aborted ? '; interrupted before the rest' : '';
      print(`${events} events of ${service} are sent again${rest}.`, { service, events, whole: !signal.aborted });
      return signal.aborted ? 1 : 0;
    });
};
