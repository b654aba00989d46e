import { documents, type FeedEvent, type Request } from '@codase/contracts';
import { many, sql } from '@codase/runtime/db';
import { WorldFixture, type OwnConnection, type Person, type World } from '@codase/testing';
import { envelope } from '../../sharing/connections/connections-world.ts';

export type NewDocument = Request<typeof documents.createDocument>['body'];

export const CONTRACT = { kind: 'agreement' } as const;
export const CANCELLABLE = { ...CONTRACT, metadata: { can_be_cancelled_in_app: true } } as const;

/** A shop that issues documents, its customer Ana, and the database for what no caller sees. The parts of a spec share this world. */
export class DocumentsWorld extends WorldFixture {
  ana!: Person;
  connection!: OwnConnection;

  protected override async enter(world: World): Promise<void> {
    await super.enter(world);
    ({ person: this.ana, connection: this.connection } = await this.connected());
  }

  creates = (body: NewDocument) => this.shop.asks(documents.createDocument, { body });

  /** Issues a plaintext file to all customers. */
  broadcasts = (text = 'Terms of 2026') => this.creates({ name: 'Terms', payload_kind: 'file', file: envelope('application/pdf', text) });

  sealed = (person: Person, text = 'sealed') => this.shop.sealsFor(person, text);

  /** The events about a document that were queued for the service, in order. */
  eventsOf = async ({ id }: { id: string }): Promise<FeedEvent[]> => {
    const rows = await many<{ body: FeedEvent }>(
      this.db,
      sql`select body from feed_event where channel = ${this.shop.service_id} and body ->> 'document_id' = ${id} order by seq`,
    );
    return rows.map(({ body }) => body);
  };

  kindsOf = async (document: { id: string }) => (await this.eventsOf(document)).map(({ event }) => event);

  /** The number of payloads that belong to no document. */
  uploads = async () => (await many(this.db, sql`select from document_content where document_id is null`)).length;

  today = () => this.world.now.toISOString().slice(0, 10);

  dayAfter = (days: number) => new Date(this.world.now.getTime() + days * 86_400_000).toISOString().slice(0, 10);

  /** Issues a document to Ana that is in the given status. */
  holds = (status: string, terms = {}) => {
    const { shop, ana } = this;
    return {
      ready_to_sign: () => shop.documents.issues(ana, { ...terms, requires_signature: true }),
      offering: () => shop.documents.issues(ana, { ...terms, requires_acceptance: true }),
      active: () => shop.documents.issues(ana, terms),
      active_but_ending: async () =>
        shop.documents.changes(await shop.documents.issues(ana, terms), {
          status: 'active_but_ending',
          cancel_effective_date: this.dayAfter(30),
        }),
      ended: async () => shop.documents.changes(await shop.documents.issues(ana, terms), { status: 'ended' }),
    }[status]!();
  };
}
