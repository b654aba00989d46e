import { connections, feed, services, type Output, type Refusal, type Request } from '@codase/contracts';
import type { Backend, Company } from '@codase/testing';

export type NewRow = Request<typeof services.publishRequestFields>['body']['fields'][number];
export type FeedEvents = Output<typeof feed.drainChanges>['events'];

export const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });

/** Publishes other request fields of a company's service. */
export async function asksFor(
  company: Company,
  service_id: string,
  fields: readonly NewRow[],
): Promise<Output<typeof services.publishRequestFields>> {
  return company.services.publishesRequest(service_id, fields);
}

/** Returns the events since the backend's last drain. */
export async function hears(backend: Backend): Promise<FeedEvents> {
  return (await backend.feed.drains()).events;
}

/** Returns the kinds and slots of the events since the backend's last drain. */
export async function hearsOf(backend: Backend): Promise<string[]> {
  return (await hears(backend)).map((event) => ('slug' in event ? `${event.event} ${event.slug}` : event.event));
}

export const readsConnection = (backend: Backend, connectionId: string) =>
  backend.asks(connections.readConnection, { params: { connectionId } });

/** The first bytes of images: a photo is recognised by its bytes. */
const BEGINS: Readonly<Record<string, Buffer>> = {
  'image/png': Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010800000000', 'hex'),
  'image/jpeg': Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
};

/** The bytes of a file; of an image, the text is what follows its header. */
export const fileBytes = (mime_type: string, text: string) => Buffer.concat([BEGINS[mime_type] ?? Buffer.alloc(0), Buffer.from(text)]);

/** The envelope of a file. */
export function envelope(mime_type: string, text: string) {
  const bytes = fileBytes(mime_type, text);
  return { file: `data:${mime_type};base64,${bytes.toString('base64')}`, original_name: 'file', mime_type, size: bytes.length };
}
