import { readFileSync } from 'node:fs';
import { loadIdentity, type StoredIdentity } from '../src/certificates.ts';

const stored = (name: string) => JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), 'utf8')) as StoredIdentity;

/** Keys for tests, made once, because making one takes a second. */
export const PLATFORM = loadIdentity(stored('identity'));
export const OTHER = loadIdentity(stored('other-identity'));

/** What a test seals with, unless it passes other options. */
export const SEAL = { ...PLATFORM, reason: 'Signed by everybody', signer: 'Demo', time: new Date('2026-11-16T12:55:00Z') };
