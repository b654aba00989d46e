import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ClientsStore } from '../clients/index.ts';

/** Where the first-party apps are sent back to, by their client ids, as an operator configured it. */
export type FirstPartyRedirects = Partial<Record<'app_portal' | 'app_person', readonly string[]>>;
export const FIRST_PARTY_REDIRECTS = Symbol('first-party redirects');

/** Nobody registers the first-party clients: their addresses are part of the configuration. @gap D1-5 */
@Injectable()
export class FirstParty implements OnApplicationBootstrap {
  constructor(
    private readonly clients: ClientsStore,
    @Inject(FIRST_PARTY_REDIRECTS) private readonly redirects: FirstPartyRedirects,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const [client_id, redirect_uris] of Object.entries(this.redirects)) await this.clients.setRedirects(client_id, redirect_uris);
  }
}
