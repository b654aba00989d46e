// The flow that the tests use: a landlord offers a lease, a tenant fills it in, both sign. Publishing finds nothing wrong with it.
import { fieldTypes, SYSTEM_ROWS } from '../field-types/index.ts';
import type {
  Condition,
  Constant,
  DateUnit,
  Definition,
  Element,
  Expr,
  FlowNode,
  IfExpr,
  MathOp,
  PluginSnapshot,
  Scalar,
  Signer,
  ValueType,
} from './definition/definition.ts';
import { compileFlow, type Flow } from './flow.ts';
import type { PublishInputs } from './publish/check-context.ts';

export const FIELD_TYPES = fieldTypes(SYSTEM_ROWS);

const TYPE_OF = { string: 'text', number: 'number', boolean: 'boolean' } as const;
const typeOf = (value: Scalar): ValueType => TYPE_OF[typeof value as keyof typeof TYPE_OF] ?? 'text';
export const lit = (value: Scalar, value_type = typeOf(value)): Expr => ({ type: 'lit', value_type, value });
export const ref = (key: string): Expr => ({ type: 'ref', key });
export const today: Expr = { type: 'today' };
export const math = (op: MathOp, ...args: Expr[]): Expr => ({ type: 'math', op, args });
export const concat = (parts: Expr[], sep?: string): Expr => ({ type: 'concat', parts, ...(sep !== undefined && { sep }) });
export const datediff = (unit: DateUnit, from: Expr, to: Expr): Expr => ({ type: 'datediff', unit, from, to });
// oxlint-disable-next-line unicorn/no-thenable -- the specification's word
export const branch = (when: Condition, then: Expr): IfExpr['cases'][number] => ({ when, then });
export const choose = (cases: IfExpr['cases'], otherwise: Expr): Expr => ({ type: 'if', cases, else: otherwise });
export const constant = (key: string, result_type: ValueType, expr: Expr, shown_on = ['done']): Constant => ({
  key,
  result_type,
  expr,
  shown_on,
});

/** Returns an expression with this many levels. */
export function nested(levels: number): Expr {
  let expr = lit(1);
  for (let level = 1; level < levels; level++) expr = math('neg', expr);
  return expr;
}

export const REGISTER: PluginSnapshot = {
  plugin_name: 'Company register',
  host: 'register.example',
  label: 'Company',
  blocks: [
    { key: 'company', kind: 'search_select', label: 'Company' },
    { key: 'year', kind: 'number', label: 'Year', depends_on: ['company'] },
  ],
  inputs: [
    { key: 'born', type: 'date', label: 'Born', required: true },
    { key: 'note', type: 'text', label: 'Note', required: false },
  ],
  outputs: [
    { key: 'seat', type: 'text', label: 'Seat' },
    { key: 'listed', type: 'boolean', label: 'Listed' },
  ],
};

const offer: FlowNode = {
  key: 'offer',
  party: 'landlord',
  title: 'The offer',
  elements: [
    { kind: 'field', slug: 'use', label: 'Use', type: 'select', required: true, options: ['flat', 'office'] },
    { kind: 'field', slug: 'rent', label: 'Rent', type: 'decimal', required: true, min: lit(1) },
    { kind: 'field', slug: 'starts', label: 'Starts', type: 'date', required: true, default: today },
  ],
};
const tenant: FlowNode = {
  key: 'tenant_data',
  party: 'tenant',
  title: 'About you',
  elements: [
    { kind: 'text', text: 'The rent is [b]{{rent}}[/b], the deposit {{deposit}}. {{landlord.company_name}} greets {{tenant.first_name}}.' },
    { kind: 'field', slug: 'name', label: 'Name', type: 'text', required: true },
    { kind: 'field', slug: 'born', label: 'Born', type: 'date_of_birth', required: true, max: today },
    { kind: 'field', slug: 'keeps', label: 'Animals', type: 'multiselect', required: false, options: ['cat', 'dog', 'fish'] },
    { kind: 'field', slug: 'income', label: 'Income', type: 'number', required: false, show_if: { field: 'rent', op: 'gt', value: 1000 } },
    { kind: 'field', slug: 'home', label: 'Address', type: 'address', required: false },
    { kind: 'field', slug: 'reference', label: 'Reference', type: 'pdf_document', required: false },
    { kind: 'field', slug: 'id_card', label: 'Identity', type: 'proof_of_identity', required: false, link: 'verified' },
  ],
};
const office: FlowNode = {
  key: 'office_data',
  party: 'tenant',
  title: 'Your company',
  elements: [
    { kind: 'image', asset_key: 'logo' },
    {
      kind: 'plugin',
      slug: 'firm',
      label: 'Company',
      required: true,
      plugin: { plugin_id: 'p1', field_type: 'company', snapshot: REGISTER, inputs: { born: 'born', note: 'age' } },
    },
  ],
};
const tenantFirst: Signer[] = [
  { party: 'tenant', action: 'sign' },
  { party: 'landlord', action: 'sign' },
];
const landlordAccepts: Signer[] = [{ party: 'landlord', action: 'accept' }];
const done: FlowNode = {
  key: 'done',
  party: 'landlord',
  title: 'The contract',
  elements: [],
  output: {
    language_party: 'tenant',
    documents: [
      {
        output_key: 'lease',
        name: 'Lease',
        rules: [
          { asset_key: 'lease_office', when: { field: 'use', op: 'eq', value: 'office' }, languages: 'all' },
          { asset_key: 'lease_de', languages: ['de', 'de-AT'], signers: tenantFirst },
          { asset_key: 'lease_en', languages: 'all', signers: tenantFirst },
        ],
      },
      {
        output_key: 'annex',
        name: 'Annex',
        rules: [
          { source_field: 'reference', languages: 'all', signers: landlordAccepts },
          { source_connection: { party: 'tenant', request_slug: 'rules' }, languages: 'all', signers: landlordAccepts },
        ],
      },
    ],
  },
};

const LEASE: Definition = {
  entry: 'offer',
  output_mode: 'document',
  parties: [
    { key: 'landlord', label: 'Landlord', type: 'owner' },
    { key: 'tenant', label: 'Tenant', type: 'person' },
  ],
  nodes: [offer, tenant, office, done],
  edges: [
    { from: 'offer', to: 'tenant_data' },
    { from: 'tenant_data', to: 'office_data', when: { field: 'use', op: 'eq', value: 'office' } },
    { from: 'tenant_data', to: 'done', when: { not: { field: 'age', op: 'lt', value: 18 } } },
    { from: 'office_data', to: 'done' },
  ],
  constants: [
    constant('deposit', 'number', math('mul', ref('rent'), lit(3)), []),
    { ...constant('age', 'number', datediff('years', ref('born'), ref('starts')), ['tenant_data']), label: 'Your age' },
  ],
};

/** Returns a fresh copy of the lease, so that a test may change it. */
export function rental(change: (definition: Definition) => void = () => {}): Definition {
  const definition = JSON.parse(JSON.stringify(LEASE)) as Definition; // unlike structuredClone, this leaves no object shared by two parts
  change(definition);
  return definition;
}

export const rentalFlow = (change?: (definition: Definition) => void): Flow => compileFlow(rental(change), FIELD_TYPES);

/** Returns the element with a slug, so that a test can change it. */
export function elementOf<K extends Element['kind']>(definition: Definition, slug: string, kind: K): Extract<Element, { kind: K }> {
  const found = definition.nodes.flatMap(({ elements }) => elements).find((element) => 'slug' in element && element.slug === slug);
  if (found?.kind !== kind) throw new Error(`the lease has no ${kind} ${slug}`);
  return found as Extract<Element, { kind: K }>;
}

export const nodeOf = (definition: Definition, key: string): FlowNode => {
  const found = definition.nodes.find((node) => node.key === key);
  if (!found) throw new Error(`the lease has no node ${key}`);
  return found;
};

/** Returns the context of the landlord's account for publishing the lease. */
export const rentalContext = (change: Partial<PublishInputs> = {}): PublishInputs => ({
  fieldTypes: FIELD_TYPES,
  plugins: new Map([['p1', new Map([['company', REGISTER]])]]),
  request_fields: [
    { slug: 'first_name', type: 'text', audience: 'both' },
    { slug: 'rules', type: 'pdf_document', audience: 'person' },
  ],
  templates: new Map([
    ['lease_office', ['firm.seat', 'rent']],
    ['lease_de', ['name', 'deposit']],
    ['lease_en', ['name']],
  ]),
  ...change,
});
