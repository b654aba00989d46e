import { refused } from '../core/refused.check.ts';
import { NewPlugin, PluginTokenChange } from '../plugins/shapes.ts';
import { NewAccountClient, NewOauthApp, OauthAppChange } from './shapes.ts';

const client = { name: 'Deployment', capabilities: ['service_management'] };

describe('the shape of an account client @spec D1-2.1', () => {
  it.each([
    ['no purpose', {}, undefined],
    ['a purpose of null', { purpose: null }, undefined],
    ['a purpose', { purpose: 'ci.deploy:eu-1_a' }, undefined],
    ['a blank purpose', { purpose: '  ' }, 'account_clients.purpose_invalid'],
    ['an empty purpose', { purpose: '' }, 'account_clients.purpose_invalid'],
    ['a purpose in capitals', { purpose: 'CI' }, 'account_clients.purpose_invalid'],
    ['a long purpose', { purpose: 'x'.repeat(65) }, 'account_clients.purpose_invalid'],
    ['a purpose of the platform', { purpose: 'crm:sync' }, 'account_clients.purpose_reserved'],
    ['another purpose of the platform', { purpose: 'shopify:x' }, 'account_clients.purpose_reserved'],
    ['a blank name', { name: ' ' }, 'account_clients.name_invalid'],
    ['no name', { name: undefined }, 'account_clients.name_invalid'],
    ['a malformed redirect', { redirect_uri: 'acme' }, 'account_clients.redirect_uri_invalid'],
    ['an unknown group', { capabilities: ['everything'] }, 'request.invalid'],
    ['a secret of its own', { client_secret: 'x' }, 'request.invalid'],
  ])('accepts or refuses %s as specified', (_, change, key) => {
    expect(refused(NewAccountClient, { ...client, ...change })).toBe(key);
  });
});

const CLAIM = { slug: 'email', label: 'E-mail', type: 'email' };
const PLUGIN_CLAIM = { ...CLAIM, type: 'plugin', plugin: { plugin_id: 'plug_1', field_type: 'address' } };

describe('the shape of a sign-in app @spec D1-4.6', () => {
  const redirect_uris = ['https://acme.example/back', 'com.acme.app:/back'];

  it.each([
    ['two addresses', {}, undefined],
    ['no address', { redirect_uris: [] }, 'oauth_apps.redirect_uri_invalid'],
    ['one address twice', { redirect_uris: [...redirect_uris, redirect_uris[0]] }, 'oauth_apps.redirect_uri_invalid'],
    ['an address with a fragment', { redirect_uris: ['https://acme.example/#back'] }, 'oauth_apps.redirect_uri_invalid'],
    ['an address that runs', { redirect_uris: ['javascript:alert(1)'] }, 'oauth_apps.redirect_uri_invalid'],
    ['a claim', { claims: [CLAIM] }, undefined],
    ['a claim of a plugin', { claims: [PLUGIN_CLAIM] }, undefined],
    ['two claims of one slug', { claims: [CLAIM, CLAIM] }, 'request.invalid'],
    ['a plugin without the type', { claims: [{ ...PLUGIN_CLAIM, type: 'text' }] }, 'oauth_apps.claim_config_plugin_invalid'],
    ['the type without a plugin', { claims: [{ ...CLAIM, type: 'plugin' }] }, 'oauth_apps.claim_config_plugin_invalid'],
    ['a plugin that is none', { claims: [{ ...PLUGIN_CLAIM, plugin: 'address' }] }, 'oauth_apps.claim_config_plugin_invalid'],
    ['another delivery', { claims_delivery: 'by_mail' }, 'request.invalid'],
  ])('accepts or refuses %s as specified', (_, change, key) => {
    expect(refused(NewOauthApp, { name: 'Login', redirect_uris, ...change })).toBe(key);
    expect(refused(OauthAppChange, { redirect_uris, ...change })).toBe(key);
  });
});

describe('the shape of a plugin @spec D1-7', () => {
  it.each([
    ['https://plugins.acme.example/v1', undefined],
    ['https://plugins.acme.example:443', undefined],
    ['http://plugins.acme.example', 'plugins.url_invalid'],
    ['https://user:pass@plugins.acme.example', 'plugins.url_invalid'],
    ['https://plugins.acme.example/?a=1', 'plugins.url_invalid'],
    ['https://plugins.acme.example/#a', 'plugins.url_invalid'],
    ['no address', 'plugins.url_invalid'],
    ['', 'plugins.body_invalid'],
    [undefined, 'plugins.body_invalid'],
  ])('accepts or refuses the address %s as specified', (base_url, key) => {
    expect(refused(NewPlugin, { base_url })).toBe(key);
  });

  it('accepts a token of visible ASCII, an empty one or null, and refuses others', () => {
    for (const token of ['', null, 'abc', '!~']) expect(refused(PluginTokenChange, { token })).toBeUndefined();
    for (const token of [undefined, 'a b', 'é', 'x'.repeat(4097)]) {
      expect(refused(PluginTokenChange, { token })).toBe('plugins.body_invalid');
    }
  });
});
