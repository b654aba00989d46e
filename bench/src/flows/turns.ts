import type { Sealed } from '@codase/contracts';

export const FIELDS = 3;

/** One of the three turns of a run: the request, and the state of the run afterwards. */
export interface TurnKind {
  party: 'company' | 'customer';
  slugs: readonly string[];
  status: string;
  node: string | null;
  next: 'company' | 'customer' | null;
  body(value: Sealed, users: readonly string[]): string;
}

const turn = (kind: Omit<TurnKind, 'body'>): TurnKind => ({
  ...kind,
  body: (value, users) =>
    JSON.stringify({
      answers: kind.slugs.map((slug) => ({ slug, values: users.map((for_user_id) => ({ for_user_id, value })) })),
      ...(kind.node === null ? { leaf: true } : { next_node: kind.node }),
    }),
});

export const TURNS: readonly TurnKind[] = [
  turn({
    party: 'customer',
    slugs: Array.from({ length: FIELDS }, (_, nth) => `answer_${nth + 1}`),
    status: 'awaiting_company',
    node: 'check',
    next: 'company',
  }),
  turn({ party: 'company', slugs: ['price'], status: 'awaiting_customer', node: 'agree', next: 'customer' }),
  turn({ party: 'customer', slugs: ['agrees'], status: 'completed', node: null, next: null }),
];
