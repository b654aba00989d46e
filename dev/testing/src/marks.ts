/** Texts that must be found nowhere, in any of the encodings that a program may give them. */
export class Marks {
  private readonly written: { name: string; writing: string }[] = [];

  constructor(texts: Readonly<Record<string, string>> = {}) {
    for (const [name, text] of Object.entries(texts)) this.add(name, text);
  }

  /** Adds a text of at least eight characters: a shorter one could be found by accident. */
  add(name: string, text: string): void {
    if (text.length < 8) throw new Error(`The mark ${name} is too short to be no coincidence: take eight characters or more.`);
    for (const writing of new Set(writingsOf(text))) this.written.push({ name, writing });
  }

  /** Returns the names of the texts that the haystack contains. */
  foundIn(haystack: string | Uint8Array): string[] {
    const text = typeof haystack === 'string' ? haystack : Buffer.from(haystack).toString('latin1');
    return [...new Set(this.written.filter(({ writing }) => text.includes(writing)).map(({ name }) => name))];
  }
}

/**
 * Returns the encodings of a text: plain, as bytes read one by one, inside JSON or a URL, in hexadecimal, and in base64 at each possible
 * alignment.
 */
function writingsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].map((before) => insideBase64(bytes, before));
  const inUrls = base64.map((writing) => writing.replaceAll('+', '-').replaceAll('/', '_'));
  const plain = [text, bytes.toString('latin1'), JSON.stringify(text).slice(1, -1), encodeURIComponent(text)];
  return [...plain, hex, hex.toUpperCase(), ...base64, ...inUrls];
}

/** Returns the base64 of the bytes without the first and last characters, which also depend on the bytes around them. */
function insideBase64(bytes: Buffer, before: number): string {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  const whole = Math.floor(((before + bytes.length) * 8) / 6);
  return encoded.slice(Math.ceil((before * 8) / 6), whole);
}
