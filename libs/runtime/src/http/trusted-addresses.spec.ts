import { trustedAddresses } from './trusted-addresses.ts';

describe('the trusted proxy addresses', () => {
  const isTrusted = trustedAddresses('10.0.0.0/8, 192.0.2.7,2001:db8::/32, loopback');

  it.each(['10.1.2.3', '192.0.2.7', '::ffff:10.1.2.3', '2001:db8::1', '127.0.0.1', '::1'])('include %s', (address) => {
    expect(isTrusted(address)).toBe(true);
  });

  it.each(['11.0.0.1', '192.0.2.8', '2001:db9::1', 'nobody', ''])('do not include "%s"', (address) => {
    expect(isTrusted(address)).toBe(false);
  });

  it('are none by default, and an invalid TRUST_PROXY is an error', () => {
    expect(trustedAddresses(undefined)('127.0.0.1')).toBe(false);
    expect(() => trustedAddresses('10.0.0.0/33')).toThrow('TRUST_PROXY');
    expect(() => trustedAddresses('everybody')).toThrow('TRUST_PROXY');
  });
});
