import { BlockList, isIP, SocketAddress } from 'node:net';

/** What is never a public unicast address, by the registries of special-purpose addresses. */
const NOT_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Public ones are all in 2000::/3; within it these are not, or lead to an IPv4 address that would have to be checked too. */
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const v4 = blockList(NOT_PUBLIC_V4, 'ipv4');
const v6 = blockList(NOT_PUBLIC_V6, 'ipv6');
const unicast = blockList(['2000::/3'], 'ipv6');
const loopbackV4 = blockList(['127.0.0.0/8'], 'ipv4');

function blockList(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net, bits] = range.split('/');
    list.addSubnet(net!, Number(bits), family);
  }
  return list;
}

const MAPPED = '::ffff:';

/** The address in its shortest writing; an IPv4 address that is written as an IPv6 one is that IPv4 address. */
export function unmapped(address: string): string {
  if (isIP(address) !== 6) return address;
  const written = new SocketAddress({ address, family: 'ipv6' }).address;
  return written.startsWith(MAPPED) && written.includes('.') ? written.slice(MAPPED.length) : written;
}

/** Whether anybody on the internet may have this address: no machine of our own network answers there. */
export function isPublicAddress(address: string): boolean {
  const plain = unmapped(address);
  if (isIP(plain) === 4) return !v4.check(plain, 'ipv4');
  return isIP(plain) === 6 && unicast.check(plain, 'ipv6') && !v6.check(plain, 'ipv6');
}

export function isLoopback(address: string): boolean {
  const plain = unmapped(address);
  return isIP(plain) === 4 ? loopbackV4.check(plain, 'ipv4') : plain === '::1';
}
