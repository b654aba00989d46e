import { createHash, createPrivateKey } from 'node:crypto';
import { ConfigFault, type LiveKeys, type LiveVariable } from '@codase/runtime/config';
import { importValuePrivateKey, publicKeyOf, type ValuePrivateKey } from '@codase/crypto/open';
import { pemBlocks } from '../../../kit/secrets/pem-blocks.ts';

interface BuiltinKey {
  public_key: string;
  privateKey: ValuePrivateKey;
}

const NO_KEYS = 'BUILTIN_PLUGINS_KEY: holds something other than RSA-2048 private keys in PEM';

/**
 * The keys to which questions to built-in plugins are sealed. The plugins publish the first key. The others open questions that were sealed
 * before it became the first. All processes of the forwarder have the same keys.
 */
export class BuiltinKeys implements LiveKeys {
  private ders: readonly Uint8Array<ArrayBuffer>[];
  private imported: Promise<BuiltinKey[]> | undefined;

  constructor(private readonly variable: Pick<LiveVariable<string>, 'current' | 'reread'>) {
    this.ders = readKeys(variable.current);
  }

  /** Returns the keys, which are imported at the first use. */
  current(): Promise<BuiltinKey[]> {
    this.imported ??= Promise.all(this.ders.map(importKey));
    return this.imported;
  }

  reread(): void {
    if (!this.variable.reread()) return;
    this.ders = readKeys(this.variable.current);
    this.imported = undefined;
  }

  ids() {
    return { builtin_plugins_key: this.ders.map((der) => createHash('sha256').update(der).digest('base64url').slice(0, 8)) };
  }
}

/** Reads the keys. A fault does not carry its cause, which might contain parts of the keys. */
function readKeys(text: string): Uint8Array<ArrayBuffer>[] {
  const ders = pemBlocks(text).map(readKey);
  if (ders.length === 0) throw new ConfigFault([NO_KEYS]);
  return ders;
}

function readKey(pem: string): Uint8Array<ArrayBuffer> {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyDetails?.modulusLength !== 2048) throw new Error('another kind of key');
    return new Uint8Array(key.export({ type: 'pkcs8', format: 'der' }));
  } catch {
    throw new ConfigFault([NO_KEYS]);
  }
}

async function importKey(der: Uint8Array<ArrayBuffer>): Promise<BuiltinKey> {
  const [public_key, privateKey] = await Promise.all([publicKeyOf(der), importValuePrivateKey(der)]);
  return { public_key, privateKey };
}
