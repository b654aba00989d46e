import type { Examples } from '../core/example.ts';
import { AT, BOX, FILE, LATER, ONE_TIME_KEY, page, PUBLIC_KEY, SEALED, SHA256 } from '../core/samples.ts';
import { DOCUMENT } from '../documents/examples.ts';
import { REGISTRY_PASS, SNAPSHOT } from '../plugins/examples.ts';

const DEFINITION = {
  entry: 'ask',
  output_mode: 'document',
  parties: [
    { key: 'company', label: 'Acme', type: 'owner' },
    { key: 'customer', label: 'Customer', type: 'person' },
  ],
  nodes: [
    {
      key: 'ask',
      party: 'customer',
      title: 'Your order',
      elements: [{ kind: 'field', slug: 'quantity', label: 'Quantity', type: 'integer', required: true }],
    },
    {
      key: 'sign',
      party: 'company',
      title: 'Check',
      elements: [{ kind: 'text', text: 'Total: {{total}}' }],
      output: {
        language_party: 'customer',
        documents: [
          {
            output_key: 'contract',
            name: 'Contract',
            rules: [{ asset_key: 'contract_en', languages: 'all', signers: [{ party: 'customer', action: 'sign' }] }],
          },
        ],
      },
    },
  ],
  edges: [{ from: 'ask', to: 'sign', when: { field: 'quantity', op: 'gt', value: 0 } }],
  constants: [
    {
      key: 'total',
      label: 'Total',
      result_type: 'number',
      shown_on: ['sign'],
      expr: {
        type: 'math',
        op: 'mul',
        args: [
          { type: 'ref', key: 'quantity' },
          { type: 'lit', value_type: 'number', value: 12.5 },
        ],
      },
    },
  ],
};
const RUN_SUMMARY = { id: 'run_8e61', flow_id: 'flow_52aa', status: 'awaiting_company', current_node: 'sign' };
export const RUN = {
  ...RUN_SUMMARY,
  flow_version: 3,
  service_id: 'shop_4d1e',
  connection_id: 'conn_7b20',
  company_user_id: 'user_acme',
  bindings: { company: 'user_acme', customer: 'user_55d1' },
  participants: [
    { party_key: 'customer', person_user_id: 'user_55d1', connection_id: 'conn_7b20', documents: [] },
    { party_key: 'company', person_user_id: 'user_acme', connection_id: null, documents: [] },
  ],
  output_mode: 'document',
  parties: [
    { key: 'company', label: 'Acme' },
    { key: 'customer', label: 'Customer' },
  ],
  answers: [{ slug: 'quantity', for_user_id: 'user_acme', value: SEALED }],
  definition: DEFINITION,
  reference_date: '2026-03-02',
  private_slugs: [],
  owner_tag_values: null,
  tag_values: null,
  source_files: {},
};
const CUSTOMER_RUN = { ...RUN, party_keys: { user_acme: PUBLIC_KEY, user_55d1: PUBLIC_KEY } };
export const NEW_RUN = { targets: { customer: { connection_id: 'conn_7b20' } }, flow_version: 3 };
export const TURN = {
  answers: [
    {
      slug: 'quantity',
      values: [
        { for_user_id: 'user_acme', value: SEALED },
        { for_user_id: 'user_55d1', value: SEALED },
      ],
      source_private: false,
    },
  ],
  next_node: 'sign',
};
const GENERATION = { otk: ONE_TIME_KEY, values: BOX, inputs: [{ source_key: 'field:trade_register', input: 'inp_1' }] };
const GENERATED = {
  documents: [{ output_key: 'contract', party_key: 'customer', document_id: 'doc_66f0', position: 1 }],
  status: 'awaiting_signature',
};
const PLUGIN_PASS = {
  ...REGISTRY_PASS,
  plugins: [{ id: 'plug_20', public_key: PUBLIC_KEY }],
  specs: { delivery: { plugin_id: 'plug_20', field_type: 'delivery_address', snapshot: SNAPSHOT, inputs: { country: 'country' } } },
};

const PUBLISHED = { version: 3, definition: DEFINITION, request_field_types: { home_address: 'address' } };
const STAGED = { body: { source_user_id: 'user_55d1', value: SEALED }, result: { file: 'file_e2d0' } };
const ANSWER_FILE = { body: { slug: 'passport_copy', for_user_id: 'user_acme', value: SEALED }, result: { file: 'file_e2d0' } };
const SEALED_FILE = { result: { encrypted: true, value: SEALED } };
const INPUT = { body: { source_key: 'field:trade_register', value: BOX }, result: { input: 'inp_1' } };
const OUTPUT = {
  ...DOCUMENT,
  metadata: { can_be_cancelled_in_app: false },
  connection_id: null,
  person_user_id: 'user_acme',
  flow_run_id: 'run_8e61',
  run_signatures: [
    {
      output_key: 'contract',
      name: 'Contract',
      party_key: 'company',
      document_id: 'doc_66f0',
      position: 1,
      status: 'active',
      action: 'signed',
      acted_at: LATER,
    },
  ],
};
const SIGNS_OUTPUT = {
  body: { method: 'custodian', signer_first_name: 'Ada', signer_last_name: 'Example', otk: ONE_TIME_KEY, file: BOX },
  result: OUTPUT,
};
const ACCEPTS_OUTPUT = { body: { otk: ONE_TIME_KEY, file: BOX }, result: { ...OUTPUT, plain_sha256: SHA256 } };
const DECLINES_OUTPUT = { body: {}, result: { ...OUTPUT, status: 'ended', signatures: [], sealed_at: null } };
const LIST = { query: { status: 'awaiting_company', limit: 50 }, result: page(RUN_SUMMARY) };
const GENERATES = { body: GENERATION, result: GENERATED };
const FLOW_SUMMARY = { id: 'flow_52aa', service_id: 'shop_4d1e', name: 'Framework agreement', published_version: 3, updated_at: AT };
const FLOW = { ...FLOW_SUMMARY, draft_token: 'd_7', draft: DEFINITION };
const TEMPLATE = {
  asset_key: 'contract_en',
  kind: 'pdf',
  original_name: 'contract.pdf',
  mime_type: 'application/pdf',
  size: 48_211,
  sha256: 'a3'.repeat(32),
  tags: ['quantity', 'total'],
  updated_at: AT,
};
const VERSION = { version: 3, published_at: AT };
const PREVIEW = {
  node: 'ask',
  party: 'customer',
  title: 'Your order',
  elements: [{ kind: 'field', slug: 'quantity', label: 'Quantity', text: null, value: '3' }],
  constants: [],
  problems: [],
  next: { status: 'awaiting_company', node: 'sign', answers: { quantity: '3' }, documents: [], signing_line: [] },
};
const FINDING = {
  key: 'constant.unused',
  severity: 'warning',
  where: { constant: 'total' },
  message: 'The constant total is used nowhere: use it or remove it',
};

/** Examples, by the names of the endpoints. */
export const flowsExamples: Examples = {
  list_published_flows: { result: { items: [{ id: 'flow_52aa', name: 'Framework agreement', version: 3 }], next_cursor: null } },
  read_published_flow: { result: PUBLISHED },
  read_own_published_flow: { result: PUBLISHED },
  stage_run_file: STAGED,
  start_run: { body: NEW_RUN, result: RUN },
  list_runs: LIST,
  read_run: { result: RUN },
  answer_run: { body: TURN, result: RUN },
  upload_answer_file: ANSWER_FILE,
  read_answer_file: SEALED_FILE,
  read_source_file: SEALED_FILE,
  upload_generation_input: INPUT,
  generate_documents: GENERATES,
  read_output_file: SEALED_FILE,
  sign_output: SIGNS_OUTPUT,
  accept_output: ACCEPTS_OUTPUT,
  decline_output: DECLINES_OUTPUT,
  issue_plugin_pass: { result: PLUGIN_PASS },
  cancel_run: { result: { ...RUN, status: 'cancelled' } },
  stage_own_run_file: STAGED,
  start_own_run: { body: NEW_RUN, result: RUN },
  list_own_runs: LIST,
  read_own_run: { result: RUN },
  answer_own_run: { body: TURN, result: RUN },
  upload_own_answer_file: ANSWER_FILE,
  read_own_source_file: SEALED_FILE,
  upload_own_generation_input: INPUT,
  generate_own_documents: GENERATES,
  read_own_output_file: SEALED_FILE,
  sign_own_output: SIGNS_OUTPUT,
  accept_own_output: ACCEPTS_OUTPUT,
  decline_own_output: DECLINES_OUTPUT,
  cancel_own_run: { result: { ...RUN, status: 'cancelled' } },
  list_customer_runs: LIST,
  read_customer_run: { result: CUSTOMER_RUN },
  answer_customer_run: { body: TURN, result: CUSTOMER_RUN },
  upload_customer_answer_file: ANSWER_FILE,
  read_customer_answer_file: SEALED_FILE,
  upload_customer_generation_input: INPUT,
  generate_customer_documents: GENERATES,
  issue_customer_plugin_pass: { result: PLUGIN_PASS },
  list_flows: { query: { limit: 50 }, result: page(FLOW_SUMMARY) },
  create_flow: { body: { service_id: 'shop_4d1e', name: 'Framework agreement' }, result: { ...FLOW, published_version: null, draft: {} } },
  read_flow: { result: FLOW },
  save_draft: { body: { draft_token: 'd_6', draft: DEFINITION }, result: FLOW },
  validate_flow: { result: { findings: [FINDING] } },
  publish_flow: { body: { draft_token: 'd_7' }, result: { published: true, version: 4, findings: [FINDING] } },
  copy_flow: { body: { name: 'Framework agreement 2027' }, result: { ...FLOW, id: 'flow_52ab', published_version: null } },
  preview_flow: { body: { step: { quantity: '3' }, reference_date: '2026-03-02' }, result: PREVIEW },
  list_flow_versions: { query: { limit: 50 }, result: page(VERSION) },
  read_flow_version: {
    result: { ...VERSION, definition: DEFINITION, files: [{ asset_key: 'contract_en', sha256: TEMPLATE.sha256 }] },
  },
  compare_flow_versions: {
    query: { since: '2' },
    result: {
      since: 2,
      version: 3,
      changes: [{ change: 'changed', where: { node: 'ask' }, member: 'title', before: 'Order', after: 'Your order' }],
    },
  },
  list_templates: { result: page(TEMPLATE) },
  put_template: { body: FILE, result: TEMPLATE },
};
