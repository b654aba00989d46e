import type { Examples } from '../core/example.ts';
import { AT, ENCRYPTED_PRIVATE_KEY, IMAGE, KEYS, page, PUBLIC_KEY, SEALED } from '../core/samples.ts';
import { ACCOUNT, PASSWORD } from '../identity/examples.ts';
import { CONTACT_FIELD } from '../registry/examples.ts';

const PHOTO = { id: 'photo_6a', content_type: 'image/png', size: 20_480, created_at: AT };

const PROFILE = {
  user_id: 'user_acme',
  display_name: 'Acme Inc.',
  language: 'en',
  share_code: 'ACME',
  public_key: PUBLIC_KEY,
  moving_to: null,
};
const DELEGATE = {
  id: 'dele_77',
  user_id: 'user_b0b',
  display_name: 'Bob',
  share_code: 'B0B',
  accepted_at: AT,
  public_key: PUBLIC_KEY,
  services: [{ service_id: 'shop_4d1e', has_key: true, key_read_at: null }],
  created_at: AT,
};
const DELEGATION = {
  id: DELEGATE.id,
  company: { user_id: PROFILE.user_id, display_name: PROFILE.display_name, share_code: PROFILE.share_code },
  services: [{ service_id: 'shop_4d1e', name: 'Shop', has_key: true }],
  accepted_at: AT,
  created_at: AT,
};
const DELEGATED_SERVICE = {
  service_id: 'shop_4d1e',
  name: 'Shop',
  company_user_id: PROFILE.user_id,
  public_key: PUBLIC_KEY,
  key: { passphrase: SEALED, encrypted_private_key: ENCRYPTED_PRIVATE_KEY },
  granted_at: AT,
};
const CONTACT_VALUE = { slug: CONTACT_FIELD.slug, value: SEALED, is_private: true, updated_at: AT };

/** Examples, by the names of the endpoints. */
export const peopleExamples: Examples = {
  read_account: { result: ACCOUNT },
  read_profile: { result: PROFILE },
  change_profile: { body: { display_name: 'Acme Incorporated' }, result: { ...PROFILE, display_name: 'Acme Incorporated' } },
  read_account_keys: { result: KEYS },
  rewrap_account_key: { body: { password: PASSWORD, encrypted_private_key: ENCRYPTED_PRIVATE_KEY }, result: KEYS },
  download_account_key: { result: KEYS },
  migrate_region: { body: { password: PASSWORD, region: 'us' }, result: { from: 'eu', to: 'us' } },
  list_service_photos: { result: page(PHOTO) },
  add_service_photo: { body: IMAGE, result: PHOTO },
  list_contact_data: { result: page(CONTACT_VALUE) },
  put_contact_data: {
    body: { value: SEALED, is_private: true, copies: [{ connection_id: 'conn_7b20', slug: 'home_address', value: SEALED }] },
    result: CONTACT_VALUE,
  },
  list_photos: { result: page(PHOTO) },
  add_photo: { body: IMAGE, result: PHOTO },
  list_delegates: { query: { limit: 50 }, result: page(DELEGATE) },
  add_delegate: {
    body: { share_code: 'B0B' },
    result: { ...DELEGATE, user_id: null, display_name: null, accepted_at: null, services: [] },
  },
  grant_service: { body: { passphrase: SEALED }, result: DELEGATE },
  list_delegations: { result: page(DELEGATION) },
  read_delegated_key: { result: DELEGATED_SERVICE },
};
