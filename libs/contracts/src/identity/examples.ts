import type { Examples } from '../core/example.ts';
import { AT, ENCRYPTED_PRIVATE_KEY, KEYS, LATER, page, PUBLIC_KEY, SEALED } from '../core/samples.ts';

export const ACCOUNT = {
  user_id: 'user_acme',
  type: 'company',
  email: 'office@acme.example',
  level: 'pro',
  region: 'eu',
  api_url: 'https://eu.codase.example',
  created_at: AT,
};
const RECOVERY_COPY = { id: 'copy_2c', kind: 'client_secret', subject_id: 'svc_acme_shop', created_at: AT };
const DEVICE = { id: 'dev_9b', name: 'Office browser', created_at: AT, last_seen_at: LATER };
const NEW_AUTHENTICATOR = {
  otpauth_url: 'otpauth://totp/codase.example:office%40acme.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=codase.example',
  confirm_by: LATER,
};
const BACKUP_CODES = { backup_codes: ['7KQ2MX9TPA', 'B4ZR8WC3HN'] };
export const PASSWORD = 'correct horse battery';
const DEVICE_WITH_KEY = {
  id: 'dev_9b',
  name: "Ada's phone",
  jkt: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I',
  created_at: AT,
  last_used_at: LATER,
};
const PHONE = { id: 'dev_9b', name: "Ada's phone", created_at: AT, last_seen_at: LATER };

/** Examples, by the names of the endpoints. */
export const identityExamples: Examples = {
  sign_up: {
    body: {
      type: 'company',
      email: 'office@acme.example',
      password: PASSWORD,
      display_name: 'Acme Inc.',
      language: 'en',
      region: 'eu',
      ...KEYS,
    },
    result: { sign_up_id: 'sup_7f2c', confirm_by: LATER },
  },
  confirm_sign_up: { body: { code: 'AB23CD45' }, result: ACCOUNT },
  change_password: { body: { password: PASSWORD, new_password: 'seven lamps by the river' } },
  request_email_change: { body: { password: PASSWORD, email: 'hello@acme.example' }, result: { confirm_by: LATER } },
  confirm_email_change: { body: { code: 'AB23CD45' } },
  ...Object.fromEntries(
    ['', '_person'].flatMap((of) => [
      [`read${of}_second_factor`, { result: { enabled: true, backup_codes_left: 9 } }],
      [`begin${of}_second_factor`, { body: { password: PASSWORD }, result: NEW_AUTHENTICATOR }],
      [`confirm${of}_second_factor`, { body: { code: '492039' }, result: BACKUP_CODES }],
      [`renew${of}_backup_codes`, { body: { password: PASSWORD, code: '492039' }, result: BACKUP_CODES }],
      [`end${of}_second_factor`, { body: { password: PASSWORD, code: '492039' } }],
    ]),
  ),
  request_deletion: { body: { password: PASSWORD }, result: { confirm_by: LATER } },
  confirm_deletion: { body: { code: 'AB23CD45' } },
  request_person_deletion: { body: { password: PASSWORD }, result: { confirm_by: LATER } },
  confirm_person_deletion: { body: { code: 'AB23CD45' } },
  change_person_password: { body: { password: PASSWORD, new_password: 'seven lamps by the river' } },
  request_person_email_change: { body: { password: PASSWORD, email: 'ada@new.example' }, result: { confirm_by: LATER } },
  confirm_person_email_change: { body: { code: 'AB23CD45' } },
  list_trusted_devices: { result: page(DEVICE) },
  list_person_trusted_browsers: { result: page(DEVICE) },
  set_recovery_key: { body: KEYS },
  read_recovery_key: { result: { public_key: PUBLIC_KEY } },
  store_recovery_copy: { body: { kind: 'client_secret', subject_id: 'svc_acme_shop', value: SEALED }, result: RECOVERY_COPY },
  list_recovery_copies: { query: { limit: 50 }, result: page(RECOVERY_COPY) },
  send_recovery_code: { result: { expires_at: LATER } },
  recover_secret: {
    body: { password: PASSWORD, code: 'AB23CD45' },
    result: { value: SEALED, encrypted_private_key: ENCRYPTED_PRIVATE_KEY },
  },
  reset_recovery_key: { body: { password: PASSWORD, code: 'AB23CD45' } },
  list_devices: { result: page(DEVICE_WITH_KEY) },
  rename_device: { body: { name: "Ada's phone" }, result: DEVICE_WITH_KEY },
  list_phones: { result: page(PHONE) },
  add_phone: { body: { name: "Ada's phone" }, result: { device: PHONE, keys: KEYS } },
  begin_authorization: {
    query: {
      client_id: 'app_person',
      response_type: 'code',
      redirect_uri: 'https://app.codase.example/back',
      state: 'af0ifjsldkj',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    },
  },
  await_phone: { query: { sign_in: 'ses_51' } },
  continue_sign_in: { query: { sign_in: 'ses_51' } },
  authorize: {
    body: {
      client_id: 'app_person',
      redirect_uri: 'https://app.codase.example/back',
      state: 'af0ifjsldkj',
      email: 'ada@example.com',
      password: 'correct horse battery',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    },
  },
  authorization_done: { query: { outcome: 'enrolled' } },
  poll_result: {
    body: { client_id: 'svc_acme_shop', client_secret: 'the secret that was shown once', state: 'enrol-2f6c' },
    result: { enrolled: true },
  },
};
