import { serviceClient, services } from '@codase/contracts';
import type { Backend, Company, World } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';

/** Adds services to a company, with a backend each. A webhook gets its events one after the other, so a high volume needs several. */
export async function moreServices(world: World, company: Company, count: number): Promise<Backend[]> {
  const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
  const { salt, iv, data } = encrypted_private_key;
  const backends: Backend[] = [];
  for (let nth = 0; nth < count; nth++) {
    const key = { public_key, encrypted_private_key: { iter: 100_000 as const, salt, iv, data } };
    const { id } = await company.asks(services.createService, { body: { name: `Soak ${nth}`, admin_email: 'soak@acme.example', ...key } });
    const client = await company.asks(serviceClient.createServiceClient, { params: { id }, body: {} });
    backends.push(world.backendOf(company, { ...client, service_id: id }));
  }
  return backends;
}
