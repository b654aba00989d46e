import { services, type Output, type Request } from '@codase/contracts';
import { Facet } from './stranger.ts';

export type NewRequestRow = Request<typeof services.publishRequestFields>['body']['fields'][number];

/** What a company does with its services at the portal. */
export class Services extends Facet {
  /** Reads the request fields of a service, and the token that the next publication must name. */
  readsRequest(id: string): Promise<Output<typeof services.readOwnRequestFields>> {
    return this.actor.asks(services.readOwnRequestFields, { params: { id } });
  }

  /** Publishes these request fields in place of the previous ones. @spec D1-4.7 */
  async publishesRequest(id: string, fields: readonly NewRequestRow[]): Promise<Output<typeof services.publishRequestFields>> {
    const { config_token } = await this.readsRequest(id);
    return this.actor.asks(services.publishRequestFields, { params: { id }, body: { config_token, fields: [...fields] } });
  }
}
