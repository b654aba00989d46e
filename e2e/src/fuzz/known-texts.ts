/** The newest texts that are remembered under one name. */
const KEPT = 100;
const MAX_TEXT = 200;
const MAX_ITEMS = 20;
const MAX_DEPTH = 5;
/** Members that name something. */
const NAMES = /(^id|_id|slug|code|key|token|cursor|version|lease)$/;

/**
 * The ids, slugs, codes and tokens that answers contained, by the name of their member. `id` alone says nothing: it is remembered under the
 * path of the collection that answered it, and so is the first id of an item without `id`.
 */
export class KnownTexts {
  private readonly texts = new Map<string, string[]>();

  /** @param given texts that no answer contains, by the names of members: a password, a value that is sealed, … */
  constructor(given: Readonly<Record<string, string>> = {}) {
    for (const [name, text] of Object.entries(given)) this.texts.set(plain(name), [text]);
  }

  /** Remembers what the answer of an operation names. */
  learn(path: string, answer: unknown): void {
    this.walk(collectionOf(path), answer, 0);
  }

  /** Returns a text that was seen for a path parameter or a member; undefined when none was seen. */
  pick(choice: number, name: string, before?: string): string | undefined {
    const seen = (before !== undefined && this.texts.get(`id of ${before}`)) || this.texts.get(plain(name));
    return seen?.[choice % seen.length];
  }

  /** Returns an example in which members have known texts of their names. */
  fitted(example: unknown, choice: number): unknown {
    if (Array.isArray(example)) return example.map((item) => this.fitted(item, choice));
    if (typeof example !== 'object' || example === null) return example;
    const members = Object.entries(example).map(([name, member]: [string, unknown]) => [
      name,
      typeof member === 'string' ? (this.pick(choice, name) ?? member) : this.fitted(member, choice),
    ]);
    return Object.fromEntries(members) as unknown;
  }

  has(name: string): boolean {
    return this.texts.has(plain(name));
  }

  private walk(collection: string, value: unknown, depth: number): void {
    if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value.slice(0, MAX_ITEMS)) this.walk(collection, item, depth + 1);
      return;
    }
    const members = Object.entries(value) as [string, unknown][];
    const [id] = members.find(([name]) => name === 'id') ?? members.find(([name]) => name.endsWith('_id')) ?? [];
    for (const [name, member] of members) {
      if (typeof member === 'string' && NAMES.test(name)) {
        if (name === id) this.remember(`id of ${collection}`, member);
        if (name !== 'id') this.remember(plain(name), member);
      } else this.walk(collection, member, depth + 1);
    }
  }

  private remember(name: string, text: string): void {
    if (text === '' || text.length > MAX_TEXT) return;
    const seen = this.texts.get(name) ?? [];
    if (seen.includes(text)) return;
    this.texts.set(name, [...seen.slice(1 - KEPT), text]);
  }
}

/** `connectionId` and `connection_id` are one name. */
const plain = (name: string) => name.replaceAll('_', '').toLowerCase();

/** The path before its last parameter, with a slash at its end, which is how a path parameter sees the collection before it. */
const collectionOf = (path: string) => `${path.replace(/\/{\w+}$/, '')}/`;
