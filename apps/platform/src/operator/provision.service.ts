import { isDeletionNoted } from '../accounts/account-deletion/index.ts';
import { ProjectionWriter, type Bus } from '@codase/runtime/bus';
import { CAPABILITIES } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import { CLIENTS, ClientsStore, digestSecret, hashSecret, patternsFor, publishedClient } from '../access/clients/index.ts';
import type { KeyList } from '../kit/secrets/key-list.ts';
import { provisionAccount, type ProvisionedAccount } from '../access/identity/index.ts';
import { provisionProfile, type ProvisionedProfile } from '../foundation/regions/index.ts';
import { provisionService, type ProvisionedService } from '../services/services/index.ts';

/** A user: the account at the front door and the profile in the region. */
export interface Profile extends ProvisionedAccount, ProvisionedProfile {
  share_code: string;
  public_key: string;
}
export type Service = ProvisionedService;

export interface Client {
  client_id: string;
  client_secret: string;
  kind: 'service' | 'account';
  service_id: string | null;
}

/** A company with its services and clients, or a person (no services, no clients). */
export interface Provision {
  profile: Profile;
  services?: readonly Service[];
  clients?: readonly Client[];
}

export interface Platform {
  frontDoor: Db;
  regions: ReadonlyMap<string, Db>;
  /** Undefined when nothing runs yet: the front door publishes all clients when it starts. */
  bus?: Bus | undefined;
  peppers: KeyList;
}

/** Adds what is missing and leaves what exists: a second run changes nothing. An account client has every capability group. */
export async function provision(
  { frontDoor, regions, bus, peppers }: Platform,
  { profile, services = [], clients = [] }: Provision,
  now: Date,
): Promise<void> {
  // An account that was deleted stays deleted.
  if (await isDeletionNoted(frontDoor, profile.user_id)) return;
  // A user who has moved since stays in the new region.
  const home = await provisionAccount(frontDoor, profile, now);
  const region = regions.get(home);
  if (!region) throw new Error(`there is no region ${home}`);
  await provisionProfile(region, profile, now);
  for (const service of services) await provisionService(region, service, now);

  const store = new ClientsStore(frontDoor);
  const projection = bus && (await ProjectionWriter.open(bus, CLIENTS));
  for (const { client_secret, ...client } of clients) {
    const capabilities = client.kind === 'account' ? CAPABILITIES : [];
    const patterns = patternsFor({ ...client, capabilities });
    const added = {
      name: client.client_id,
      purpose: null,
      capabilities,
      patterns,
      redirect_uris: [],
      epoch: 1,
      secret_hash: hashSecret(peppers, client.client_id, digestSecret(client_secret)),
    };
    await store.add({ ...client, ...added, company_user_id: profile.user_id, region: home }, now);
    await projection?.put(client.client_id, publishedClient((await store.find(client.client_id))!, peppers));
  }
}
