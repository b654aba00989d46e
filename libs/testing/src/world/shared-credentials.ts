import { hashPassword } from '@cds/platform';
import type { CredentialFactory } from '@cds/stack';
import { SERVICE_KEYS } from '../keys.ts';

/** The demo company and its service have one key, everybody else the other: neither opens what is sealed to the other. */
const [ACME, OTHERS] = SERVICE_KEYS;
const OF_ACME = ['usr_demo_acme', 'ser_demo_shop'];

let hash: Promise<string> | undefined;

/** What everybody in a world signs in with. */
const PASSWORD = 'correct horse battery staple';
/** Who is in a world from the beginning or signs up in it pays this price and not 80 ms. */
export const CHEAP_HASH = { ln: 4, r: 8, p: 1 };

/** Making keys and hashes takes a while, so all worlds of a test worker share one password and two key pairs. */
export const sharedCredentials: CredentialFactory = {
  key: async (owner) => (OF_ACME.includes(owner) ? ACME : OTHERS),
  password: () => PASSWORD,
  passwordHash: () => (hash ??= hashPassword(PASSWORD, CHEAP_HASH)),
};
