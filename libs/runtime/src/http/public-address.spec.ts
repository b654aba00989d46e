import { isLoopback, isNetwork, isPublicAddress, networks } from './public-address.ts';

describe('classification of IP addresses', () => {
  it.each([
    '93.184.216.34',
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '2606:2800:220:1:248:1893:25c8:1946',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
  ])('%s is a public address', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ['this host', '0.0.0.0'],
    ['loopback', '127.8.9.1'],
    ['a private network', '10.1.2.3'],
    ['a private network', '172.31.255.255'],
    ['a private network', '192.168.0.1'],
    ["a carrier's network", '100.64.0.1'],
    ['the link, where clouds tell secrets', '169.254.169.254'],
    ['the host of a machine at Azure', '168.63.129.16'],
    ['the host of a machine at Azure, mapped', '::ffff:168.63.129.16'],
    ['multicast', '224.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['a documentation network', '203.0.113.7'],
    ['a benchmark network', '198.19.0.1'],
    ['loopback', '::1'],
    ['nobody', '::'],
    ['the link', 'fe80::1'],
    ['a unique local network', 'fd00::1'],
    ['multicast', 'ff02::1'],
    ['documentation', '2001:db8::1'],
    ['an IPv4 address behind 6to4', '2002:7f00:1::'],
    ['an IPv4 address behind NAT64', '64:ff9b::7f00:1'],
    ['Teredo', '2001::1'],
    ['a mapped loopback', '::ffff:127.0.0.1'],
    ['a mapped loopback in hexadecimal', '::ffff:7f00:1'],
    ['a mapped private network', '::ffff:10.0.0.1'],
    ['no address', 'hooks.example'],
    ['nothing', ''],
  ])('%s is not a public address: %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['127.0.0.1', '127.255.0.3', '::1', '::ffff:127.0.0.1'])('%s is a loopback address', (address) => {
    expect(isLoopback(address)).toBe(true);
  });

  it.each(['10.0.0.1', '::2', '128.0.0.1', 'localhost'])('%s is not a loopback address', (address) => {
    expect(isLoopback(address)).toBe(false);
  });
});

describe('a list of networks', () => {
  const denied = networks(['198.51.100.0/25', '8.8.8.8', '2606:2800::/32', '10.0.0.0/8']);

  it.each([
    '198.51.100.1',
    '8.8.8.8',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
    '64:ff9b::808:808',
    '64:ff9b::8.8.8.8',
    '64:ff9b::a00:1',
    '2606:2800:220::1',
  ])('contains %s', (address) => {
    expect(denied(address)).toBe(true);
  });

  it.each(['198.51.100.128', '8.8.4.4', '::ffff:8.8.4.4', '64:ff9b::808:404', '2606:2801::1'])('does not contain %s', (address) => {
    expect(denied(address)).toBe(false);
  });

  it.each(['10.0.0.0/8', '8.8.8.8', '2606:2800::/32', '::/0'])('accepts %s as an entry', (text) => {
    expect(isNetwork(text)).toBe(true);
  });

  it.each(['', '10.0.0.0/33', '10.0.0/8', '2606::/129', '10.0.0.0/8/8', 'example.org', '10.0.0.0/x'])(
    'rejects "%s" as an entry',
    (text) => {
      expect(isNetwork(text)).toBe(false);
    },
  );
});
