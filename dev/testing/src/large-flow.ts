import { field, flowOf, math, ref, text } from './flow-definition.ts';

/** Returns a valid flow with this many nodes and edges, each with its questions, texts and conditions. */
export function largeFlow(nodes: number, edges: number) {
  const key = (n: number) => `n${n}`;
  const numbered = <T>(length: number, make: (n: number) => T) => Array.from({ length }, (_, n) => make(n));
  const further = edges - (nodes - 1);
  return flowOf(
    numbered(nodes, (n) => ({
      key: key(n),
      party: n % 2 ? 'company' : 'customer',
      title: `Step ${n}`,
      elements: [
        field(`f${n}`, 'integer', {
          label: 'A number',
          ...(n > 0 && { show_if: { field: `f${n - 1}`, op: 'gt' as const, value: 1 } }),
        }),
        text(`You said {{f${n}}}, which makes {{c${Math.min(n, 99)}}}`),
      ],
    })),
    [
      ...numbered(nodes - 1, (n) => ({ from: key(n), to: key(n + 1), when: { field: `f${n}`, op: 'gt' as const, value: 0 } })),
      ...numbered(further, (n) => {
        const from = n % (nodes - 5);
        return { from: key(from), to: key(from + 2 + (n % 3)), when: { field: `f${from}`, op: 'eq' as const, value: -n - 1 } };
      }),
    ],
    {
      constants: numbered(100, (n) => ({
        key: `c${n}`,
        label: 'A sum',
        result_type: 'number' as const,
        expr: math('add', ref(n ? `c${n - 1}` : 'f0'), ref(`f${n}`)),
        shown_on: [key(n)],
      })),
    },
  );
}
