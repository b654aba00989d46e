import { Controller } from '@nestjs/common';
import { FRONT_DOOR, signInApps, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { digestSecret, newSecret } from '../../access/clients/index.ts';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { SignInApps } from './sign-in-apps.service.ts';

type Company = Caller<typeof signInApps.createOauthApp>;

/** The sign-in apps of a company. @spec D1-4.6 */
@Controller()
export class SignInAppsHttp {
  constructor(
    private readonly apps: SignInApps,
    private readonly frontDoor: FrontDoorRequests,
  ) {}

  @Serves(signInApps.createOauthApp)
  create({ body }: Input<typeof signInApps.createOauthApp>, { company_user_id }: Company) {
    return this.apps.create(company_user_id, body);
  }

  @Serves(signInApps.listOauthApps)
  list({ query }: Input<typeof signInApps.listOauthApps>, { company_user_id }: Company) {
    return this.frontDoor.request(FRONT_DOOR.listApps, {}, { company_user_id, ...query });
  }

  @Serves(signInApps.readOauthApp)
  read({ params: { id: app_id } }: Input<typeof signInApps.readOauthApp>, { company_user_id }: Company) {
    return this.frontDoor.request(FRONT_DOOR.readApp, {}, { company_user_id, app_id });
  }

  @Serves(signInApps.changeOauthApp)
  change({ params: { id: app_id }, body }: Input<typeof signInApps.changeOauthApp>, { company_user_id }: Company) {
    return this.apps.change({ company_user_id, app_id }, body);
  }

  @Serves(signInApps.deleteOauthApp)
  delete({ params: { id: app_id } }: Input<typeof signInApps.deleteOauthApp>, { company_user_id }: Company) {
    return this.apps.delete({ company_user_id, app_id });
  }

  @Serves(signInApps.regenerateOauthAppSecret)
  async regenerateSecret({ params: { id: app_id } }: Input<typeof signInApps.regenerateOauthAppSecret>, { company_user_id }: Company) {
    const client_secret = newSecret();
    const request = { company_user_id, app_id, secret_digest: digestSecret(client_secret) };
    const { client_id } = await this.frontDoor.request(FRONT_DOOR.replaceSecret, {}, request);
    return { client_id, client_secret };
  }

  @Serves(signInApps.rotateOauthAppSecret)
  async rotateSecret({ params: { id: app_id }, body }: Input<typeof signInApps.rotateOauthAppSecret>, { company_user_id }: Company) {
    const client_secret = newSecret();
    const request = { company_user_id, app_id, secret_digest: digestSecret(client_secret), ...body };
    return { ...(await this.frontDoor.request(FRONT_DOOR.rotateSecret, {}, request)), client_secret };
  }

  @Serves(signInApps.endOldOauthAppSecret)
  endOldSecret({ params: { id: app_id } }: Input<typeof signInApps.endOldOauthAppSecret>, { company_user_id }: Company) {
    return this.frontDoor.request(FRONT_DOOR.endOldSecret, {}, { company_user_id, app_id });
  }
}
