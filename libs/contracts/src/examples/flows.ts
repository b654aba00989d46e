import type { Examples } from './example.ts';
import {
  AT,
  BOX,
  CUSTOMER_RUN,
  DEFINITION,
  FILE,
  GENERATED,
  GENERATION,
  NEW_RUN,
  page,
  PLUGIN_PASS,
  RUN,
  RUN_SUMMARY,
  SEALED,
  TURN,
} from './samples.ts';

const STAGED = { body: { source_user_id: 'user_55d1', value: SEALED }, result: { file: 'file_e2d0' } };
const ANSWER_FILE = { body: { slug: 'passport_copy', for_user_id: 'user_acme', value: SEALED }, result: { file: 'file_e2d0' } };
const SEALED_FILE = { result: { encrypted: true, value: SEALED } };
const INPUT = { body: { source_key: 'field:trade_register', value: BOX }, result: { input: 'inp_1' } };
const LIST = { query: { status: 'awaiting_company', limit: 50 }, result: page(RUN_SUMMARY) };
const GENERATES = { body: GENERATION, result: GENERATED };
const FLOW_SUMMARY = { id: 'flow_52aa', service_id: 'shop_4d1e', name: 'Framework agreement', published_version: 3, updated_at: AT };
const FLOW = { ...FLOW_SUMMARY, draft_token: 'd_7', draft: DEFINITION };
const TEMPLATE = { asset_key: 'contract_en', original_name: 'contract.pdf', size: 48_211, tags: ['quantity', 'total'], updated_at: AT };
const FINDING = {
  key: 'constant.unused',
  severity: 'warning',
  where: { constant: 'total' },
  message: 'The constant total is used nowhere: use it or remove it',
};

/** Runs, by each of their three sides, and how flows are written. */
export const flowExamples: Examples = {
  read_published_flow: { result: { version: 3, definition: DEFINITION, request_field_types: { home_address: 'address' } } },
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
  cancel_own_run: { result: { ...RUN, status: 'cancelled' } },

  list_customer_runs: LIST,
  read_customer_run: { result: CUSTOMER_RUN },
  answer_customer_run: { body: TURN, result: CUSTOMER_RUN },
  upload_customer_answer_file: ANSWER_FILE,
  read_customer_answer_file: SEALED_FILE,
  upload_customer_generation_input: INPUT,
  generate_customer_documents: GENERATES,
  issue_customer_plugin_pass: { result: PLUGIN_PASS },

  list_flows: { query: { service_id: 'shop_4d1e', limit: 50 }, result: page(FLOW_SUMMARY) },
  create_flow: { body: { service_id: 'shop_4d1e', name: 'Framework agreement' }, result: { ...FLOW, published_version: null, draft: {} } },
  read_flow: { result: FLOW },
  save_draft: { body: { draft_token: 'd_6', draft: DEFINITION }, result: FLOW },
  validate_flow: { result: { findings: [FINDING] } },
  publish_flow: { body: { draft_token: 'd_7' }, result: { published: true, version: 4, findings: [FINDING] } },
  list_templates: { result: page(TEMPLATE) },
  put_template: { body: FILE, result: TEMPLATE },
};
