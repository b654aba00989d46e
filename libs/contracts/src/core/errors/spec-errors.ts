import type { Catalogue } from './catalogue.ts';

/**
 * Refusals that the specification names, one line for each row of its error tables. The words are our own and say how to fix the problem.
 * When a row gives the reason in `error`, the message here is used only without a reason.
 */

/** @spec D1-7 */
const ACCESS_AND_DATA = {
  'auth.client_endpoint_forbidden': [403, 'Client not authorized for this endpoint'],
  'region.rebase_required': [421, 'This request belongs to another base: send it to api_url'],

  'services.client_exists': [409, 'The service already has its client: use it, or regenerate its secret'],
  'services.config_conflict': [409, 'The request fields were changed meanwhile: read them again and repeat with the new config_token'],
  'services.share_code_invalid': [400, 'A share code is 1 to 8 characters of A-Z and 0-9'],
  'services.share_code_taken': [409, 'Another of your services has this share code: choose another one'],
  'services.admin_email_invalid': [400, 'admin_email is missing or no e-mail address'],
  'services.audience_b2b_only': [403, 'Only companies can connect to this service'],
  'services.webhook_url_invalid': [400, 'url must be an http:// or https:// address with a host'],
  'services.request_field_plugin_invalid': [
    400,
    'The plugin of a request field is missing, unknown or not described: refresh the plugin and choose again',
  ],
  'oauth_apps.claim_config_plugin_invalid': [
    400,
    'The plugin of a claim is missing, unknown or not described: refresh the plugin and choose again',
  ],
  'profile.company_code_requires_service': [400, 'A company is connected to through one of its services: give COMPANYCODE/SERVICECODE'],

  // 403: the caller may not use this connect endpoint. 400: the request addressed a company account or the caller itself.
  'company_connections.persons_only': [403, 'This is for persons only: neither a company account nor yourself can be asked', 400],
  'company_connections.active_contract': [409, 'An agreement or subscription is still active: end it before the connection'],
  'company_data.connection_not_found': [404, 'No such connection of this service'],
  'company_data.file_expired': [410, 'The answer was shared once and has expired: ask the person to share it again'],
  'company_data.ack_boundary_invalid': [400, 'message_id must be a message that the person sent on this connection'],
  'contact_data.encryption_required': [
    400,
    'A plaintext was sent where ciphertext is required: seal the value and send the wrapper as a JSON string',
  ],

  'documents.contract_requires_person': [400, 'A contract needs one recipient: give a target'],
  'documents.contract_immutable': [409, 'The contract is signed and can no longer be replaced: create a new document'],
  // The specification says only "error" for its status. @gap D1-7
  'documents.recipient_encrypted': [409, 'The file is sealed to its recipient and cannot be read by the company'],

  'account_clients.name_invalid': [400, 'name is missing or blank'],
  'account_clients.redirect_uri_invalid': [400, 'redirect_uri must be an absolute address without a fragment'],
  'account_clients.purpose_invalid': [400, 'purpose is 1 to 64 characters of a-z, 0-9 and _ . : -, or left out'],
  'account_clients.purpose_reserved': [400, 'The prefixes crm: and shopify: are reserved: choose another purpose'],
  'account_clients.purpose_taken': [409, 'Another client of the company has this purpose: choose another one'],
  'account_clients.purpose_managed': [409, 'This client is managed by the platform: its capabilities and secret cannot be changed'],
  'account_clients.not_found': [404, 'No such client of this company'],

  'twofa.share_code_required': [400, 'share_code is required'],
  'twofa.idempotency_key_required': [400, 'idempotency_key is required: 1 to 255 characters of your own choice'],
  'twofa.context_too_long': [400, 'context is longer than 256 characters'],
  'twofa.result_consumed': [410, 'The outcome was already delivered: raise a new challenge'],
  'twofa.unavailable': [503, 'The challenge store cannot be reached and nothing was consumed: repeat the call'],
  'db.writes_paused': [503, 'Saving is paused and nothing was written: repeat the same call later'],
  'platform.out_of_order': [503, 'The region is being rebuilt and the request was not processed: repeat it later'],

  'plugins.url_invalid': [400, 'base_url must be an https address on port 443 of a public host, without credentials, query or fragment'],
  'plugins.body_invalid': [400, 'Give base_url, and a token of 1 to 4096 visible ASCII characters where one is needed'],
  'plugins.not_found': [404, 'No such plugin of this company'],
  'plugins.duplicate': [409, 'There is already a plugin at this address, or the built-in is already on'],
  'plugins.in_use': [409, 'The plugin is still used: remove it from what in_use names'],
  'plugins.builtin_unknown': [404, 'There is no built-in plugin of this key'],
  'plugins.builtin_token_locked': [400, 'A built-in plugin takes no token'],
} as const satisfies Catalogue;

/** @spec D2-7 */
const FLOWS = {
  'flows.bindings_invalid': [400, 'Bind every party: give target or targets, and customers of the declared type'],
  'flows.no_counterparty': [400, 'The bindings name nobody but your own company'],
  'flows.tag_values_invalid': [400, 'The text shows customer values: give flow_version and well-formed tag_values'],
  'flows.source_files_invalid': [
    400,
    'source_files must be exactly the required copies: add what is missing, leave out what is unexpected',
  ],
  'flows.source_user_invalid': [400, "source_user_id must be a connected customer of the flow's service"],
  'flows.connection_not_found': [404, 'The target connection is not connected to the service'],
  'flows.not_found': [404, 'No such flow'],
  'flows.not_published': [409, 'The flow has no published version yet'],
  'flows.version_changed': [409, 'A newer version was published: read it, compile again and repeat'],
  'flows.tag_values_stale': [409, 'tag_values are sealed to an old key for the recipients in stale: seal them again'],
  'account.counterparty_deleted': [409, 'The person deleted the account: the run can be read but not written'],
  'flows.answer_party_missing': [400, 'Every answer needs one value for each bound party'],
  'flows.answer_invalid': [400, 'An answer needs a slug of the step, and source_private is true or false'],
  'flows.answer_party_invalid': [400, 'for_user_id is no bound party of the run'],
  'flows.next_node_invalid': [400, 'next_node is no successor of the current node'],
  'flows.answer_file_too_large': [400, 'The file is larger than the field accepts'],
  'flows.not_your_turn': [403, 'The run awaits another party'],
  'flows.run_not_awaiting': [409, 'The run is not awaiting a turn'],
  'flows.run_not_found': [404, 'No such run'],
  'flows.definition_invalid': [422, 'The definition does not hold together: the current node is missing from it'],
  'flows.generation_failed': [400, 'No rule matched, or a template could not be filled: the run stays in generation'],
  'flows.generate_inputs_mismatch': [400, "inputs must be exactly the participants' PDFs the run holds, each uploaded for this run"],
  'flows.source_pdf_invalid': [400, "A participant's PDF cannot be used: the run stays in generation"],
  'flows.not_generatable': [409, 'The run is not at a leaf that produces documents'],
  'flows.no_document': [404, 'This output document was not produced'],
  'documents.run_managed': [409, 'The document belongs to an open run: cancel the run instead'],
  'documents.too_large': [400, 'The sealed value is larger than the upload budget'],

  'plugin.pass_invalid': [401, 'The pass is not valid or has expired: get a new one'],
  'plugin.not_in_pass': [403, 'The pass does not cover this plugin: get a new one'],
  'plugin.key_changed': [409, 'The plugin has a new key: seal the question to public_key and repeat'],
  'plugin.request_invalid': [400, 'request must be a sealed question'],
  'plugin.not_found': [404, 'The plugin does not exist'],
  'plugin.busy': [429, 'Too many calls of this plugin are in flight: repeat later'],
  'plugin.rate_limited': [429, 'The plugin was called too often: repeat later'],
  'plugin.not_responding': [502, 'The plugin gave no usable answer'],
  'plugin.unavailable': [503, 'The forwarder cannot answer now: repeat later'],
} as const satisfies Catalogue;

export const SPEC_ERRORS = { ...ACCESS_AND_DATA, ...FLOWS };
