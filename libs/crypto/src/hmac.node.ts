import type { Bytes } from './bytes.ts';

/** The part of node:crypto that is used here, so that browser projects need no Node types. */
interface NodeCrypto {
  createSecretKey(key: Bytes): object;
  createHmac(algorithm: 'sha256', key: object): { update(data: Bytes): { digest(): Uint8Array } };
}

const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };

/** HMAC-SHA256 by node:crypto, done synchronously on this thread, with a copy of the key outside of JavaScript; undefined in a browser. */
export const nodeHmac = hmacOf(process?.getBuiltinModule?.('node:crypto') as NodeCrypto | undefined);

function hmacOf(node: NodeCrypto | undefined) {
  if (!node) return undefined;
  return (key: Bytes) => {
    const secret = node.createSecretKey(key);
    return (message: Bytes): Bytes => new Uint8Array(node.createHmac('sha256', secret).update(message).digest());
  };
}
