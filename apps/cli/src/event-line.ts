/** An event of the feed, which may come from a later platform that has more kinds. */
export interface AnyEvent {
  event: string;
  person_user_id: string;
  share_code: string | null;
  at: string;
  [member: string]: unknown;
}

/** Members that are sealed to the service. */
export const SEALED_MEMBERS = ['value', 'body'] as const;

/** The plaintext of the sealed members of an event. */
export type Clear = Readonly<Record<string, string>>;

/** Returns one line for people: the time, the kind, the person, and the members that only this kind has. */
export function eventLine({ event, person_user_id, share_code, at, ...members }: AnyEvent, clear: Clear = {}): string {
  const particulars = Object.entries(members)
    .filter(([name]) => name !== 'id')
    .map(([name, content]) => shown(name, content, clear[name]));
  return [at.slice(11, 23), event, share_code ?? person_user_id, ...particulars].join('  ');
}

/** Returns a member as text. A slug is shown without the word "slug": `email`, not `slug email`. */
function shown(name: string, content: unknown, clear: string | undefined): string {
  if (clear !== undefined) return JSON.stringify(clear);
  if (isSealed(name, content)) return `(sealed, ${content.length} characters)`;
  return name === 'slug' ? String(content) : `${name} ${String(content)}`;
}

const isSealed = (name: string, content: unknown): content is string =>
  SEALED_MEMBERS.some((member) => member === name) && typeof content === 'string';
