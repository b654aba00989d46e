import { connections, services, type Output, type Refusal, type Request } from '@cds/contracts';
import type { Backend, Company } from '@cds/testing';

export type NewRow = Request<typeof services.publishRequestFields>['body']['fields'][number];
export type FeedEvents = Output<typeof connections.drainChanges>['events'];

export const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });

/** A service of a company asks for something else from now on. */
export async function asksFor(
  company: Company,
  service_id: string,
  fields: readonly NewRow[],
): Promise<Output<typeof services.publishRequestFields>> {
  return company.services.publishesRequest(service_id, fields);
}

/** What a backend is told since it last asked. */
export async function hears(backend: Backend): Promise<FeedEvents> {
  return (await backend.feed.drains()).events;
}

/** The kinds and slots of what a backend is told. */
export async function hearsOf(backend: Backend): Promise<string[]> {
  return (await hears(backend)).map((event) => ('slug' in event ? `${event.event} ${event.slug}` : event.event));
}

export const readsConnection = (backend: Backend, connectionId: string) =>
  backend.asks(connections.readConnection, { params: { connectionId } });

/** A file as its envelope says it. */
export const envelope = (mime_type: string, text: string) => ({
  file: `data:${mime_type};base64,${Buffer.from(text).toString('base64')}`,
  original_name: 'file',
  mime_type,
  size: Buffer.byteLength(text),
});
