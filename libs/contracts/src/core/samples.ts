/** Made-up values that the examples share. */

/** A value of each path parameter. */
export const PARAMETER_SAMPLES: Readonly<Record<string, string>> = {
  id: 'a3f7c2d9',
  serviceId: 'shop_4d1e',
  connectionId: 'conn_7b20',
  serviceFieldId: 'slot_19c4',
  flowId: 'flow_52aa',
  runId: 'run_8e61',
  slug: 'passport_copy',
  sourceKey: 'conn:customer:trade_register',
  outputKey: 'contract',
  challenge_id: 'chal_c05b',
  challengeId: 'chal_c05b',
  signInId: 'ses_51',
  shareCode: 'K7M2QX',
  companyCode: 'ACME',
  serviceCode: 'SHOP',
  webhookId: 'hook_31f8',
  photoId: 'photo_6a',
  log: '1',
  base: 'front-door',
  page: '0',
  kind: 'account',
  owner: 'K7M2QX',
  key_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  asset: 'start.js',
  deviceId: 'dev_9b',
  sessionId: 'ses_phone',
  signUpId: 'sup_7f2c',
  copyId: 'copy_2c',
  verificationId: 'ver_5n2k9x7q4r8t6w3y1z0m5p2s',
  delegateId: 'dele_77',
  delegationId: 'dele_77',
  requestId: 'creq_40',
  assetKey: 'contract_en',
  version: '3',
  file: 'file_e2d0',
  key: 'address_search',
};

export const AT = '2026-03-02T09:30:00Z';
export const LATER = '2026-03-02T09:35:00Z';
export const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** A text with the form of ciphertext. */
export const SEALED = JSON.stringify({
  _enc: 1,
  k: `${'q83v'.repeat(85)}qw==`,
  iv: 'AAECAwQFBgcICQoL',
  d: 'b3BhcXVlIHRvIHRoZSBzZXJ2ZXIgYnkgZGVzaWdu',
});
export const BOX = 'AAECAwQFBgcICQoLb3BhcXVlIHRvIHRoZSBzZXJ2ZXIgYnkgZGVzaWdu';
export const ONE_TIME_KEY = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
export const PUBLIC_KEY = `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A${'q83v'.repeat(90)}`;
export const ENCRYPTED_PRIVATE_KEY = { iter: 100_000, salt: 'AAECAwQFBgcICQoLDA0ODw==', iv: 'AAECAwQFBgcICQoL', data: 'q83v'.repeat(406) };
export const KEYS = { public_key: PUBLIC_KEY, encrypted_private_key: ENCRYPTED_PRIVATE_KEY };
export const FILE = { file: 'data:application/pdf;base64,JVBERi0xLjcK', original_name: 'terms.pdf', mime_type: 'application/pdf', size: 9 };
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';
export const IMAGE = { file: `data:image/png;base64,${PIXEL}`, original_name: 'logo.png', mime_type: 'image/png', size: 67 };

export const page = (...items: unknown[]) => ({ items, next_cursor: null });
