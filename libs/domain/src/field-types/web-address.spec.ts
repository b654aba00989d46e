import { webAddress } from './web-address.ts';

describe('a web address @spec D1-2.5 @gap D1-2.5', () => {
  it.each([
    ['example.com', 'https://example.com'],
    ['example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
    ['localhost:8080', 'https://localhost:8080'],
    ['localhost:8080/a', 'https://localhost:8080/a'],
    ['example.com:443?a', 'https://example.com:443?a'],
    ['http://example.com', 'http://example.com'],
    ['HTTPS://Example.com', 'HTTPS://Example.com'],
    ['[::1]/x', 'https://[::1]/x'],
    ['müller.example', 'https://müller.example'],
    ['x', 'https://x'],
    ['example.com?to=http://x', 'https://example.com?to=http://x'],
  ])('is normalised from %s to %s', (text, address) => {
    expect(webAddress(text)).toBe(address);
  });

  it.each([
    'ftp://example.com',
    'javascript:alert(1)',
    'mailto:a@example.com',
    's3://bucket/key',
    'https:/x',
    'https:x',
    'javascript:/**/alert(1)',
    'x-y.z+1:/a',
    'git+ssh://example.com',
    'https://',
    'https:///path',
    'https://\\\\x',
    'https://?q',
    'https://#x',
    '/path',
    '#x',
    'https://user@example.com',
    'https://user:pw@example.com',
    'https://:pw@example.com',
    'user@example.com',
    'exa mple.com',
    'https://example.com/a b',
    'https://example.com\n',
    'https://exa\tmple.com',
    ' https://example.com',
    'https:// x',
    'https://example.com/\u0007',
    'https://example.com:99999',
    'https://[::1',
    'https://exa<mple.com',
    'xhttps://example.com',
    '',
  ])('is rejected as %j', (text) => {
    expect(webAddress(text)).toBeUndefined();
  });
});
