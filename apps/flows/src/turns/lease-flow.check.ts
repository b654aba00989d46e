// The flow with documents that the tests use.
import type { FlowDefinition } from '@codase/contracts';

const field = (slug: string, type: string) => ({ kind: 'field' as const, slug, label: slug, type, required: false });
const output = {
  language_party: 'customer',
  documents: [
    { output_key: 'lease', name: 'Lease', rules: [{ asset_key: 'lease', languages: 'all' as const }] },
    { output_key: 'proof', name: 'Proof', rules: [{ source_field: 'proof', languages: 'all' as const }] },
    {
      output_key: 'rules',
      name: 'Rules',
      rules: [{ source_connection: { party: 'customer', request_slug: 'rules' }, languages: 'all' as const }],
    },
  ],
};

/** A customer applies, and either the company or the customer answers the step that documents are made of. */
export const LEASE: FlowDefinition = {
  entry: 'apply',
  output_mode: 'document',
  parties: [
    { key: 'company', label: 'Acme', type: 'owner' },
    { key: 'customer', label: 'Customer', type: 'person' },
  ],
  nodes: [
    { key: 'apply', party: 'customer', title: 'Apply', elements: [field('name', 'text'), field('proof', 'pdf_document')] },
    { key: 'terms', party: 'company', title: 'Terms', elements: [field('rent', 'decimal')], output },
    { key: 'own_terms', party: 'customer', title: 'Own terms', elements: [field('wish', 'text')], output },
  ],
  edges: [
    { from: 'apply', to: 'terms', when: { field: 'name', op: 'ne', value: 'Own' } },
    { from: 'apply', to: 'own_terms' },
  ],
  constants: [],
};
