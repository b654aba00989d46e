import type { z } from 'zod';
import { ConnectCode, SharedValue, SharedValues } from '../connections/customer-shapes.ts';
import { SHARED_VALUES } from '../connections/examples.ts';
import { readShape } from '../core/read-shape.ts';
import { refused } from '../core/refused.check.ts';
import { KEYS, SEALED } from '../core/samples.ts';
import { NewWebhook } from '../webhooks/shapes.ts';
import { NewRequest, NewService } from './shapes.ts';

const service = { name: 'Acme Shop', admin_email: 'shop@acme.example', ...KEYS };
const field = { slug: 'home_address', label: 'Home address', type: 'address' };

describe('a new service @spec D1-2.4', () => {
  it.each([
    ['as it is', {}, undefined],
    ['without an administrator', { admin_email: undefined }, 'services.admin_email_invalid'],
    ['with no e-mail address', { admin_email: 'shop' }, 'services.admin_email_invalid'],
    ['without a key', { public_key: undefined }, 'services.key_invalid'],
    ['with its passphrase', { passphrase: 'secret' }, 'request.invalid'],
    ['with a clear private key', { private_key_pem: '-----BEGIN PRIVATE KEY-----' }, 'services.key_invalid'],
  ])('is validated by its administrator and keys: %s', (_, change, key) => {
    expect(refused(NewService, { ...service, ...change })).toBe(key);
  });
});

describe('the request fields of a service', () => {
  it('are live, optional and for every audience by default', () => {
    expect(NewRequest.parse({ config_token: 'c', fields: [field] }).fields[0]).toMatchObject({
      one_time: false,
      mandatory: false,
      verified: false,
      audience: 'both',
      plugin: null,
    });
  });

  it.each([
    ['a slug twice', [field, field], 'services.request_field_invalid'],
    ['a plugin type without a plugin', [{ ...field, type: 'plugin' }], 'services.request_field_plugin_invalid'],
    [
      'a plugin on another type',
      [{ ...field, plugin: { plugin_id: 'plug_20', field_type: 'delivery_address' } }],
      'services.request_field_plugin_invalid',
    ],
    ['a plugin that is none', [{ ...field, type: 'plugin', plugin: 'address' }], 'services.request_field_plugin_invalid'],
    ['a plugin', [{ ...field, type: 'plugin', plugin: { plugin_id: 'plug_20', field_type: 'delivery_address' } }], undefined],
  ])('are validated by slug and plugin: %s', (_, fields, key) => {
    expect(refused(NewRequest, { config_token: 'c', fields })).toBe(key);
  });
});

it.each<[string, z.ZodType, unknown, string]>([
  ['row', NewRequest, { config_token: 'c', fields: [field, { ...field, label: 'Again' }] }, 'fields.1.slug: is the slug of another row'],
  [
    'plugin',
    NewRequest,
    { config_token: 'c', fields: [field, { ...field, slug: 'b', type: 'plugin' }] },
    'fields.1.plugin: is given where the type is plugin',
  ],
  [
    'secret',
    NewWebhook,
    { url: 'https://acme.example', auth_type: 'basic', auth_username: 'acme' },
    'auth_password: is missing; auth_type basic needs it',
  ],
  [
    'header',
    NewWebhook,
    { url: 'https://acme.example', auth_type: 'header', auth_header_name: 'Host', auth_header_value: 'x' },
    'auth_header_name: names a header that every delivery has already',
  ],
  ['answer', SharedValues, [SHARED_VALUES[0], { slug: 'home_address', value: 'Main Street 1' }], '1.value: must be a wrapper'],
])('a validation message says which %s is wrong @gap D1-7', (_, shape, body, message) => {
  expect(() => readShape(shape, body, 'body')).toThrow(message);
});

describe('sharing with a service', () => {
  it('requires a sealed value when its source is private @spec D1-2.8', () => {
    expect(refused(SharedValue, SHARED_VALUES[0])).toBeUndefined();
    expect(refused(SharedValue, { slug: 'home_address', value: 'Main Street 1' })).toBe('contact_data.encryption_required');
    expect(refused(SharedValue, { slug: 'logo', value: '{"file":"data:…"}', source_private: false })).toBeUndefined();
    expect(refused(SharedValue, { slug: 'logo', value: SEALED, source_private: false })).toBeUndefined();
  });

  it('requires a code that names a service, not only a company @spec D1-7', () => {
    expect(refused(ConnectCode, 'ACME/SHOP')).toBeUndefined();
    for (const code of ['ACME', 'ACME/', 'acme', '', undefined])
      expect(refused(ConnectCode, code)).toBe('profile.company_code_requires_service');
    for (const code of ['abc/shop', 'ACME/shop', '/SHOP', 'ACME/SHOP/EU', 'ACME/SHOPSHOPS'])
      expect(refused(ConnectCode, code)).toBe('company_connections.service_not_found');
  });
});
