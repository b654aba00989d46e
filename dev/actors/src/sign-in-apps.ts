import { signInApps, type Output, type Request } from '@codase/contracts';
import { Facet } from './stranger.ts';

export type NewSignInApp = Request<typeof signInApps.createOauthApp>['body'];
export type SignInAppOnce = Output<typeof signInApps.createOauthApp>;
type Change = Request<typeof signInApps.changeOauthApp>['body'];

/** What a company does with its sign-in apps. @spec D1-4.6 */
export class SignInApps extends Facet {
  creates(app: Partial<NewSignInApp> = {}): Promise<SignInAppOnce> {
    const body = { name: 'Login', redirect_uris: ['https://login.example/back'], ...app };
    return this.actor.asks(signInApps.createOauthApp, { body });
  }

  lists(query: { limit?: number; cursor?: string } = {}): Promise<Output<typeof signInApps.listOauthApps>> {
    return this.actor.asks(signInApps.listOauthApps, { query });
  }

  reads(id: string): Promise<Output<typeof signInApps.readOauthApp>> {
    return this.actor.asks(signInApps.readOauthApp, { params: { id } });
  }

  changes(id: string, body: Change): Promise<Output<typeof signInApps.changeOauthApp>> {
    return this.actor.asks(signInApps.changeOauthApp, { params: { id }, body });
  }

  deletes(id: string): Promise<unknown> {
    return this.actor.asks(signInApps.deleteOauthApp, { params: { id } });
  }

  regeneratesSecret(id: string): Promise<Output<typeof signInApps.regenerateOauthAppSecret>> {
    return this.actor.asks(signInApps.regenerateOauthAppSecret, { params: { id } });
  }

  rotatesSecret(id: string, keep_old_hours = 24): Promise<Output<typeof signInApps.rotateOauthAppSecret>> {
    return this.actor.asks(signInApps.rotateOauthAppSecret, { params: { id }, body: { keep_old_hours } });
  }

  endsOldSecret(id: string): Promise<unknown> {
    return this.actor.asks(signInApps.endOldOauthAppSecret, { params: { id } });
  }
}
