import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 24;
/** Bytes below this fall evenly on the letters. */
const EVEN = 256 - (256 % ALPHABET.length);

/** Random bytes are had cheaply by the thousand. */
const drawn = Buffer.alloc(4096);
let used = drawn.length;

/** A new id: 143 random bits behind a word that says what it names, as in `svc_…`. @gap D1-4 */
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
