import type { CodaseClient } from '@codase/client';
import { connections, Refusal, type Output } from '@codase/contracts';

type Detail = Output<typeof connections.readConnection>;
type Page = Output<typeof connections.listConnections>;

/** Finds the connection of a person, because events name the person and not the connection. */
export class ConnectionList {
  private readonly codase: CodaseClient;
  private ids: ReadonlyMap<string, string> = new Map();
  private listing: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;

  constructor(codase: CodaseClient) {
    this.codase = codase;
  }

  /** Returns the person's connection as it is now, or undefined when the person has left. */
  async of(person_id: string): Promise<Detail | undefined> {
    const known = this.ids.get(person_id);
    const connection = known === undefined ? undefined : await this.read(known);
    if (connection) return connection;
    await this.listForAll();
    const found = this.ids.get(person_id);
    return found === undefined ? undefined : this.read(found);
  }

  async read(connectionId: string): Promise<Detail | undefined> {
    try {
      return await this.codase.request(connections.readConnection, { params: { connectionId } });
    } catch (error) {
      if (error instanceof Refusal && error.key === 'company_data.connection_not_found') return undefined;
      throw error;
    }
  }

  /**
   * Lists all connections once for all waiting callers, because the platform allows ten lists a minute. A caller never joins a list that
   * has already begun, because it may lack the newest person.
   */
  private listForAll(): Promise<void> {
    this.next ??= this.listing
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        return (this.listing = this.list());
      });
    return this.next;
  }

  private async list(): Promise<void> {
    const ids = new Map<string, string>();
    let cursor: string | undefined;
    do {
      const page: Page = await this.codase.request(connections.listConnections, { query: { limit: 200, cursor } });
      for (const { person_id, id } of page.items) ids.set(person_id, id);
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    this.ids = ids;
  }
}
