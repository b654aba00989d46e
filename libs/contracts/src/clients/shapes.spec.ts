import { refused } from '../core/refused.check.ts';
import { NewPlugin, PluginTokenChange } from '../plugins/shapes.ts';
import { NewAccountClient } from './shapes.ts';

const client = { name: 'Deployment', capabilities: ['service_management'] };

describe('an account client @spec D1-2.1', () => {
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
  ])('with %s', (_, change, key) => {
    expect(refused(NewAccountClient, { ...client, ...change })).toBe(key);
  });
});

describe('a plugin @spec D1-7', () => {
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
  ])('at %s', (base_url, key) => {
    expect(refused(NewPlugin, { base_url })).toBe(key);
  });

  it('has a token of visible ASCII; an empty one keeps the stored, null clears it', () => {
    for (const token of ['', null, 'abc', '!~']) expect(refused(PluginTokenChange, { token })).toBeUndefined();
    for (const token of [undefined, 'a b', 'é', 'x'.repeat(4097)]) {
      expect(refused(PluginTokenChange, { token })).toBe('plugins.body_invalid');
    }
  });
});
