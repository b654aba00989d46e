import { BlockList, isIP, SocketAddress } from 'node:net';

/** Networks that are never public unicast addresses, by the registries of special-purpose addresses. */
const NOT_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32', // in the public space, and yet the host of every Azure machine, which gives secrets to the machine
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
/** Public IPv6 is all in 2000::/3. These networks within it are not public, or lead to an IPv4 address. */
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const v4 = blockList(NOT_PUBLIC_V4);
const v6 = blockList(NOT_PUBLIC_V6);
const unicast = blockList(['2000::/3']);
const loopbackV4 = blockList(['127.0.0.0/8']);

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', bits] = range.split('/');
    const isV4 = isIP(net) === 4;
    list.addSubnet(net, bits === undefined ? bitsOf(net) : Number(bits), isV4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

const bitsOf = (address: string) => (isIP(address) === 4 ? 32 : 128);

/** Whether a text is a network: an address, with or without the number of bits that count. */
export function isNetwork(text: string): boolean {
  const [net = '', bits = '0', ...more] = text.split('/');
  return isIP(net) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= bitsOf(net) && more.length === 0;
}

/** Returns a test of whether an address is in one of these networks. An IPv4 network holds the IPv6 forms of its addresses. */
export function networks(ranges: readonly string[]): (address: string) => boolean {
  const list = blockList(ranges);
  return (address) => {
    const plain = unmapped(address);
    const isListed = list.check(plain, isIP(plain) === 4 ? 'ipv4' : 'ipv6');
    const behind = isIP(plain) === 6 ? behindNat64(plain) : undefined;
    return isListed || (behind !== undefined && list.check(behind, 'ipv4'));
  };
}

const NAT64 = '64:ff9b::';

/** The IPv4 address that an address of the well-known NAT64 prefix leads to (RFC 6052). */
function behindNat64(written: string): string | undefined {
  if (!written.startsWith(NAT64)) return undefined;
  const rest = written.slice(NAT64.length);
  if (isIP(rest) === 4) return rest;
  const groups = rest.split(':').map((group) => Number.parseInt(group || '0', 16));
  const [high, low] = groups.length === 1 ? [0, groups[0]!] : [groups[0]!, groups[1]!];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

const MAPPED = '::ffff:';

/** The address in its shortest writing; an IPv4 address that is written as an IPv6 one is that IPv4 address. */
export function unmapped(address: string): string {
  if (isIP(address) !== 6) return address;
  const written = new SocketAddress({ address, family: 'ipv6' }).address;
  return written.startsWith(MAPPED) && written.includes('.') ? written.slice(MAPPED.length) : written;
}

/** Whether the address is one of the public internet: no machine of our own network answers there. */
export function isPublicAddress(address: string): boolean {
  const plain = unmapped(address);
  if (isIP(plain) === 4) return !v4.check(plain, 'ipv4');
  return isIP(plain) === 6 && unicast.check(plain, 'ipv6') && !v6.check(plain, 'ipv6');
}

export function isLoopback(address: string): boolean {
  const plain = unmapped(address);
  return isIP(plain) === 4 ? loopbackV4.check(plain, 'ipv4') : plain === '::1';
}
