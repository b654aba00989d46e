import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 24;
/** Only random bytes below this number are used: they are spread evenly over the alphabet. */
const EVEN = 256 - (256 % ALPHABET.length);

/** A supply of random bytes: drawing thousands at once is cheaper than drawing each alone. */
const drawn = Buffer.alloc(4096);
let used = drawn.length;

/** Returns a new id: a word that says what the id names, and 143 random bits, as in `svc_…`. @gap D1-4 */
export function newId(kind: string): string {
  let id = `${kind}_`;
  for (const whole = id.length + LENGTH; id.length < whole;) {
    const byte = randomByte();
    if (byte < EVEN) id += ALPHABET[byte % ALPHABET.length];
  }
  return id;
}

function randomByte(): number {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  return drawn[used++]!;
}
