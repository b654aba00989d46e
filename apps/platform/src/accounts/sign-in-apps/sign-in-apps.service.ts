import { Injectable } from '@nestjs/common';
import { FRONT_DOOR, Refusal, type Claim, type Input, type RegisteredApp, type signInApps } from '@codase/contracts';
import { PLUGIN } from '@codase/domain/field-types';
import { digestSecret, newSecret } from '../../access/clients/index.ts';
import { newId } from '../../kit/ids.ts';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { FieldTypesView } from '../../services/registry/index.ts';
import { ClaimPlugins } from './claim-plugins.service.ts';
import type { OwnApp } from './registered-apps.store.ts';

type NewApp = Input<typeof signInApps.createOauthApp>['body'];
type Change = Input<typeof signInApps.changeOauthApp>['body'];

/**
 * Creates, changes and deletes sign-in apps. The front door keeps them. The region knows the types and the plugins that claims name, makes
 * the secret, shows it once, and sends on only its digest. @spec D1-4.6 @spec D1-5.9
 */
@Injectable()
export class SignInApps {
  constructor(
    private readonly frontDoor: FrontDoorRequests,
    private readonly fieldTypes: FieldTypesView,
    private readonly plugins: ClaimPlugins,
  ) {}

  async create(company_user_id: string, request: NewApp): Promise<RegisteredApp & { client_secret: string }> {
    this.checkTypes(request.claims);
    const client_secret = newSecret();
    const app = { ...request, company_user_id, app_id: newId('app'), revision: newId('rev') };
    await this.plugins.begin(app);
    const registered = await this.asking(app, app.revision, () =>
      this.frontDoor.request(FRONT_DOOR.registerApp, {}, { ...app, secret_digest: digestSecret(client_secret) }),
    );
    await this.plugins.end(app, registered, null);
    return { ...registered, client_secret };
  }

  /** Changes an app at once: redirect URIs, name, delivery and claims together or not at all. */
  async change(own: OwnApp, request: Change): Promise<RegisteredApp> {
    const { claims } = request;
    const revision = claims && newId('rev');
    if (claims && revision) {
      this.checkTypes(claims);
      const { name } = await this.frontDoor.request(FRONT_DOOR.readApp, {}, own);
      await this.plugins.begin({ name, ...own, claims, revision });
    } else await this.plugins.beginChange(own);
    const { app, ended_revision } = await this.asking(own, revision, () =>
      this.frontDoor.request(FRONT_DOOR.changeApp, {}, { ...own, ...request, revision }),
    );
    await this.plugins.end(own, app, ended_revision);
    return app;
  }

  async delete(own: OwnApp): Promise<void> {
    await this.plugins.beginChange(own);
    await this.frontDoor.request(FRONT_DOOR.deleteClient, {}, own);
    await this.plugins.endDeletion(own);
  }

  private async asking<T>(own: OwnApp, revision: string | undefined, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (revision !== undefined) await this.plugins.abandon(own, revision, error);
      throw error;
    }
  }

  /** @spec D1-2.5 */
  private checkTypes(claims: readonly Claim[]): void {
    const { types } = this.fieldTypes;
    const unknown = claims.find(({ type }) => type !== PLUGIN && !types.isRequestable(type));
    if (unknown) throw new Refusal('request.invalid').because(`claims: ${unknown.slug}: no claim can have the type ${unknown.type}`);
    const file = claims.find(({ type }) => types.isBinary(type));
    if (file) throw new Refusal('request.invalid').because(`claims: ${file.slug}: files of the type ${file.type} are too long for a claim`);
  }
}
