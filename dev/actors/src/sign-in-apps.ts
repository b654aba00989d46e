import { signInApps, type Output, type Request } from '@codase/contracts';
import type { Stranger } from './stranger.ts';

export type NewSignInApp = Request<typeof signInApps.createOauthApp>['body'];
export type SignInAppOnce = Output<typeof signInApps.createOauthApp>;
type Change = Request<typeof signInApps.changeOauthApp>['body'];

/** What a company does with its sign-in apps. @spec D1-4.6 */
export class SignInApps {
  private readonly company: Pick<Stranger, 'asks'>;

  constructor(company: Pick<Stranger, 'asks'>) {
    this.company = company;
  }

  creates(app: Partial<NewSignInApp> = {}): Promise<SignInAppOnce> {
    const body = { name: 'Login', redirect_uris: ['https://login.example/back'], ...app };
    return this.company.asks(signInApps.createOauthApp, { body });
  }

  lists(query: { limit?: number; cursor?: string } = {}): Promise<Output<typeof signInApps.listOauthApps>> {
    return this.company.asks(signInApps.listOauthApps, { query });
  }

  reads(id: string): Promise<Output<typeof signInApps.readOauthApp>> {
    return this.company.asks(signInApps.readOauthApp, { params: { id } });
  }

  changes(id: string, body: Change): Promise<Output<typeof signInApps.changeOauthApp>> {
    return this.company.asks(signInApps.changeOauthApp, { params: { id }, body });
  }

  deletes(id: string): Promise<unknown> {
    return this.company.asks(signInApps.deleteOauthApp, { params: { id } });
  }

  regeneratesSecret(id: string): Promise<Output<typeof signInApps.regenerateOauthAppSecret>> {
    return this.company.asks(signInApps.regenerateOauthAppSecret, { params: { id } });
  }

  rotatesSecret(id: string, keep_old_hours = 24): Promise<Output<typeof signInApps.rotateOauthAppSecret>> {
    return this.company.asks(signInApps.rotateOauthAppSecret, { params: { id }, body: { keep_old_hours } });
  }

  endsOldSecret(id: string): Promise<unknown> {
    return this.company.asks(signInApps.endOldOauthAppSecret, { params: { id } });
  }
}
