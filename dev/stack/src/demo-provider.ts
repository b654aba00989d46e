import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { VerificationProvider } from '@codase/actors';
import type { Ports } from './layout.ts';
import type { Secrets } from './secrets.ts';
import { frontDoorUrl } from './units.ts';

const KEY_FILE = 'demo-verification-provider-key.pem';
const newKey = (): string => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

/** Returns the provider of the demo, which verifies what it is shown. Only a development stack has its key. */
export async function demoProvider(ports: Ports, secrets: Secrets): Promise<VerificationProvider> {
  const { VerificationProvider } = await import('@codase/actors'); // imported here only, as in demo-actors.ts
  const key = { kid: 'demo', privateKey: createPrivateKey(secrets.get(KEY_FILE, newKey)) };
  return new VerificationProvider(frontDoorUrl(ports), 'demo', key, () => new Date());
}
