/** Bytes on a plain ArrayBuffer, as WebCrypto expects them in every runtime. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The CryptoKey of the current runtime, without a dependency on its types. */
export type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Joins all parts, one after the other. */
export function concatBytes(...parts: Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Compares public bytes only: it stops at the first difference, so its time says where that is. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** Writes bytes as lowercase hex. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the bytes of an even number of hex digits, which the caller has checked. */
export function fromHex(hex: string): Bytes {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
