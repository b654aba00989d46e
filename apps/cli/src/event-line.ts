/** An event of the feed, or of a later platform that has more kinds. */
export interface AnyEvent {
  event: string;
  person_user_id: string;
  share_code: string | null;
  at: string;
  [member: string]: unknown;
}

/** Members that are sealed to the service. */
export const SEALED_MEMBERS = ['value', 'body'] as const;

/** The sealed members of an event in the clear. */
export type Clear = Readonly<Record<string, string>>;

/** One line for people: when, what, who, and what is particular to the kind. */
export function eventLine({ event, person_user_id, share_code, at, ...members }: AnyEvent, clear: Clear = {}): string {
  const particulars = Object.entries(members)
    .filter(([name]) => name !== 'id')
    .map(([name, content]) => shown(name, content, clear[name]));
  return [at.slice(11, 23), event, share_code ?? person_user_id, ...particulars].join('  ');
}

/** A name that says itself goes without it: `email` rather than `slug email`. */
function shown(name: string, content: unknown, clear: string | undefined): string {
  if (clear !== undefined) return JSON.stringify(clear);
  if (isSealed(name, content)) return `(sealed, ${content.length} characters)`;
  return name === 'slug' ? String(content) : `${name} ${String(content)}`;
}

const isSealed = (name: string, content: unknown): content is string =>
  SEALED_MEMBERS.some((member) => member === name) && typeof content === 'string';
