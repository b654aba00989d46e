import { createServiceKey, type ServiceKey } from '@cds/crypto';
import { hashPassword } from '@cds/platform';
import type { CredentialFactory } from '@cds/stack';

/** The demo company and its service on one side, everybody else on the other: neither opens what is sealed to the other. */
type Side = 'acme' | 'others';

const keys = new Map<Side, Promise<ServiceKey>>();
let hash: Promise<string> | undefined;

/** What everybody in a world signs in with. */
const PASSWORD = 'correct horse battery staple';
/** Who is in a world from the beginning or signs up in it pays this price and not 80 ms. */
export const CHEAP_HASH = { ln: 4, r: 8, p: 1 };

/** Making keys and hashes takes a while, so all worlds of a test worker share one password and one key pair for each side. */
export const sharedCredentials: CredentialFactory = {
  key: (owner) => sharedKey(sideOf(owner)),
  password: () => PASSWORD,
  passwordHash: () => (hash ??= hashPassword(PASSWORD, CHEAP_HASH)),
};

function sharedKey(side: Side): Promise<ServiceKey> {
  const key = keys.get(side) ?? createServiceKey();
  keys.set(side, key);
  return key;
}

const sideOf = (owner: string): Side => (['usr_demo_acme', 'ser_demo_shop'].includes(owner) ? 'acme' : 'others');
