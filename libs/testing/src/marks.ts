/** Texts that are to be found nowhere, in any of the writings a program gives a text on its way. */
export class Marks {
  private readonly written: { name: string; writing: string }[] = [];

  constructor(texts: Readonly<Record<string, string>> = {}) {
    for (const [name, text] of Object.entries(texts)) this.add(name, text);
  }

  /** A text of at least eight characters: a shorter one is found by accident. */
  add(name: string, text: string): void {
    if (text.length < 8) throw new Error(`The mark ${name} is too short to be no coincidence: take eight characters or more.`);
    for (const writing of new Set(writingsOf(text))) this.written.push({ name, writing });
  }

  /** The names of those that are in there. */
  foundIn(haystack: string | Uint8Array): string[] {
    const text = typeof haystack === 'string' ? haystack : Buffer.from(haystack).toString('latin1');
    return [...new Set(this.written.filter(({ writing }) => text.includes(writing)).map(({ name }) => name))];
  }
}

/** Plain, as bytes read one by one, inside JSON or a URL, in hexadecimal, and in base64 wherever in the encoded bytes it begins. */
function writingsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].map((before) => insideBase64(bytes, before));
  const inUrls = base64.map((writing) => writing.replaceAll('+', '-').replaceAll('/', '_'));
  const plain = [text, bytes.toString('latin1'), JSON.stringify(text).slice(1, -1), encodeURIComponent(text)];
  return [...plain, hex, hex.toUpperCase(), ...base64, ...inUrls];
}

/** Without the first and the last characters, which also tell of the bytes around it. */
function insideBase64(bytes: Buffer, before: number): string {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  const whole = Math.floor(((before + bytes.length) * 8) / 6);
  return encoded.slice(Math.ceil((before * 8) / 6), whole);
}
