import { services, type Request } from '@codase/contracts';
import type { World } from '@codase/testing';

type Fields = Request<typeof services.publishRequestFields>['body']['fields'];

/** Publishes these request fields for the demo's shop. */
export async function asksFor(world: World, fields: Fields): Promise<void> {
  const params = { id: world.shop.service_id! };
  const { config_token } = await world.acme.asks(services.readOwnRequestFields, { params });
  await world.acme.asks(services.publishRequestFields, { params, body: { config_token, fields } });
}

export const MAIL = { slug: 'mail', label: 'E-mail', type: 'email' };
