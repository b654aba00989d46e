import {
  ACCOUNT_BASELINE,
  CAPABILITY_PATTERNS,
  FIRST_PARTY_PATTERNS,
  RESERVED_PURPOSES,
  SERVICE_PATTERNS,
  type Capability,
} from '@codase/contracts';

/** What decides the rights of a client. */
interface Entitled {
  client_id: string;
  kind: 'service' | 'account' | 'app' | 'portal' | 'person';
  capabilities: readonly Capability[];
}

/** Returns the patterns that a client gets today. An account client always keeps its baseline. @spec D1-5.7 @spec D1-5.8 */
export function patternsFor({ client_id, kind, capabilities }: Entitled): string[] {
  switch (kind) {
    case 'service':
      return [...SERVICE_PATTERNS];
    case 'account':
      return [...new Set([...ACCOUNT_BASELINE, ...capabilities.flatMap((capability) => CAPABILITY_PATTERNS[capability])])];
    case 'app':
      return []; // it signs people in, and calls nothing
    case 'portal':
    case 'person':
      return [...(FIRST_PARTY_PATTERNS[client_id as keyof typeof FIRST_PARTY_PATTERNS] ?? [])];
  }
}

/** Returns the patterns after a backfill. Those of a service client only grow, others follow their grants. @spec D1-5.7 @spec D1-9 */
export const backfilled = (client: Entitled & { patterns: readonly string[] }): string[] => [
  ...new Set([...(client.kind === 'service' ? client.patterns : []), ...patternsFor(client)]),
];

/** Whether a client has a reserved purpose. It belongs to the platform: its company can delete it, not change it. @spec D1-2.1 */
export const isManaged = (purpose: string | null): boolean => RESERVED_PURPOSES.some((prefix) => purpose?.startsWith(prefix));
