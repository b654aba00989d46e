import { COMPARE, Id, Refusal, RESEND } from '@codase/contracts';
import { DEMO } from '@codase/stack';
import { UsageFault } from '@codase/command-line';
import { poll } from '@codase/runtime/resilience';
import { withBus } from './bus.ts';
import { FLAG, readOptions, readService, readTime, TEXT, textOr, type Read } from './command.ts';

/** The timeout of one page, which may have thousands of events. */
const PAGE_MS = 60_000;
/** How often and how long to retry while the spool is full. It empties in seconds, unless the stream accepts no events. */
const RETRY = { everyMs: 1000, withinMs: 10 * 60_000 };

/** How many events were sent, and where to continue. */
type Page = { events: number; next: string | null };

/** Asks the feed consumer to send the stored events of a period once more, page by page, or a single event. */
export const resend: Read = (words) => {
  const values = readOptions(words, { service: textOr(DEMO.service), from: TEXT, to: TEXT, id: TEXT, lost: FLAG });
  const service = readService(values.service);
  const now = new Date();
  const event_id = values.id === undefined ? undefined : readEventId(values.id);
  const isSaid = values.from !== undefined || event_id !== undefined;
  if (!isSaid) throw new UsageFault('--from is missing: say from when on, such as --from 2h, or which event by --id.');
  const from = values.from === undefined ? new Date(0) : readTime('--from', values.from, now);
  const to = values.to === undefined ? now : readTime('--to', values.to, now);
  if (to <= from) throw new UsageFault('--to is not after --from: swap them.');
  return ({ target, print, note, signal }) =>
    withBus(target.operator('suite')!, async (bus) => {
      let events = 0;
      for (let after: string | null = '0'; after !== null && !signal.aborted;) {
        const request = {
          from: from.toISOString(),
          to: to.toISOString(),
          after,
          lost: values.lost,
          ...(event_id !== undefined && { event_id }),
        };
        const page: Page = await whenNotFull(() => bus.request(RESEND, { service }, request, { timeout: PAGE_MS }), signal);
        events += page.events;
        after = page.next;
        if (after !== null) note(`${events} events so far …`);
      }
      print(inWords(service, events, { whole: !signal.aborted, event_id }), { service, events, whole: !signal.aborted });
      return signal.aborted ? 1 : 0;
    });
};

/** Repeats the request while the spool is full. Throws the last refusal when the time is over, or the person interrupts the command. */
async function whenNotFull(ask: () => Promise<Page>, signal: AbortSignal): Promise<Page> {
  let refused: unknown;
  const send = async () => {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refusal && error.key === 'feed_consumer.spool_full')) throw error;
      refused = error;
      return undefined;
    }
  };
  const page = await poll(send, { ...RETRY, signal }).catch((error: unknown) => {
    throw signal.aborted ? (refused ?? error) : error;
  });
  if (!page) throw refused;
  return page;
}

function readEventId(text: string): string {
  if (!Id.safeParse(text).success) throw new UsageFault('--id is no id of an event: take it from the header ce-id, or from the log.');
  return text;
}

/** Describes the result. For a single event that was not sent, it says why. */
function inWords(service: string, events: number, { whole, event_id }: { whole: boolean; event_id: string | undefined }): string {
  const isMissing = event_id !== undefined && events === 0;
  if (isMissing) return `Nothing is sent again: ${service} has no such event stored, or a newer one has replaced it.`;
  return `${events} events of ${service} are sent again${whole ? '' : '; interrupted before the rest'}.`;
}

/** Asks the feed consumer to compare what the platform lists with what it has seen, and to publish what differs. */
export const compare: Read = (words) => {
  const service = readService(readOptions(words, { service: textOr(DEMO.service) }).service);
  return ({ target, print }) =>
    withBus(target.operator('suite')!, async (bus) => {
      await bus.request(COMPARE, { service }, {});
      print(`The connections of ${service} are compared: what differs is published, marked as reconciled.`, { service });
    });
};
