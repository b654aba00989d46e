import { ProjectionWriter, type Bus } from '@cds/runtime/bus';
import { ACCOUNT_BASELINE, CAPABILITIES, CAPABILITY_PATTERNS, SERVICE_PATTERNS } from '@cds/contracts';
import type { Db } from '@cds/runtime/db';
import { CLIENTS, ClientsStore, hashSecret, type Pepper } from '../access/index.ts';
import { addAccount, addProfile, addService, type Profile, type Service } from '../people/index.ts';

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
  bus: Bus;
  pepper: Pepper;
}

/** A provisioned account client has every capability group. */
const ACCOUNT_PATTERNS = [...new Set([...ACCOUNT_BASELINE, ...Object.values(CAPABILITY_PATTERNS).flat()])];

/** Adds what is missing and leaves what stands: a second run changes nothing. */
export async function provision({ frontDoor, regions, bus, pepper }: Platform, { profile, services = [], clients = [] }: Provision, now: Date): Promise<void> {
  const region = regions.get(profile.region);
  if (!region) throw new Error(`there is no region ${profile.region}`);
  await addAccount(frontDoor, profile, now);
  await addProfile(region, profile, now);
  for (const service of services) await addService(region, service, now);

  const store = new ClientsStore(frontDoor);
  const projection = await ProjectionWriter.open(bus, CLIENTS);
  for (const { client_secret, ...client } of clients) {
    const rights = client.kind === 'account' ? { capabilities: CAPABILITIES, patterns: ACCOUNT_PATTERNS } : { capabilities: [], patterns: [...SERVICE_PATTERNS] };
    const added = { name: client.client_id, purpose: null, redirect_uris: [], epoch: 1, secret_hash: hashSecret(pepper, client_secret), ...rights };
    await store.add({ ...client, ...added, company_user_id: profile.user_id, region: profile.region }, now);
    await projection.put(client.client_id, (await store.find(client.client_id))!);
  }
}
