/** Bytes on a plain ArrayBuffer, as WebCrypto wants them in every runtime. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The CryptoKey of whichever runtime this is, without its types. */
export type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** All parts, one after the other. */
export function concatBytes(...parts: Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Plain comparison, for public bytes only: it stops at the first difference. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** Lowercase hex. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The bytes of an even number of hex digits, which the caller has checked. */
export function fromHex(hex: string): Bytes {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
