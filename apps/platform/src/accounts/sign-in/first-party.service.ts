import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ClientsStore } from '../../access/clients/index.ts';

/** The addresses to which the first-party apps are sent back, by client id, as an operator configured them. */
type FirstPartyRedirects = Partial<Record<'app_portal' | 'app_person', readonly string[]>>;
export const FIRST_PARTY_REDIRECTS = Symbol('first-party redirects');

/** Sets the redirect URIs of the first-party clients, which are configured because nobody registers these clients. @gap D1-5 */
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
