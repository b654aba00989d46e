import { BUS_MESSAGE_BYTES, feed, Refusal, type Endpoint } from '@codase/contracts';

/** Bytes for the members around a file, and for what JSON escapes in its sealed text. */
const AROUND = 4096;

/** Returns how long an answer with a file becomes on the bus, where bytes travel as base64. */
function carriedLength(answer: unknown): number {
  const { bytes, value } = answer as { bytes?: Uint8Array; value?: string };
  return AROUND + (bytes ? Math.ceil(bytes.length / 3) * 4 : (value?.length ?? 0));
}

const longFile = () =>
  new Refusal('request.too_large').because("The file is longer than the bus carries: read it from the gateway's HTTP server");

/** Returns how long a file at the platform may be: on the bus it would be longer still. Undefined for other answers. */
export const longestAnswer = ({ produces }: Endpoint, most: number) =>
  produces === 'bytes' ? { bytes: most, refusal: longFile } : undefined;

/** Refuses a file that is too long for the bus: it is read over HTTP instead. */
export function refuseLongFile({ produces }: Endpoint, answer: unknown, most: number): void {
  if (produces === 'bytes' && carriedLength(answer) > most) throw longFile();
}

/** Refuses a drain without a lease when its answer may be too long for the bus: such a drain deletes what it answers. @gap D1-4.3 */
export function refuseLossyDrain({ name }: Endpoint, request: unknown, most: number): void {
  const { query } = request as { query?: { lease?: string } };
  if (name !== feed.drainChanges.name || query?.lease || most >= BUS_MESSAGE_BYTES) return;
  const mend = `drain with a lease, or let an operator set max_payload to ${BUS_MESSAGE_BYTES}`;
  throw new Refusal('service.unavailable').because(`The bus carries ${most} bytes, which may be less than a drain answers: ${mend}`);
}
