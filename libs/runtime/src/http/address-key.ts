import { isIP } from 'node:net';
import { unmapped } from './public-address.ts';

const GROUPS = 8;
/** How many groups of an IPv6 address name its network; a subscriber of that network chooses the rest freely. */
const NETWORK_GROUPS = 4;

/**
 * Returns the key by which callers are counted: an IPv4 address, or the /64 network of an IPv6 address, since one subscriber has all
 * addresses of such a network. An IPv4 address that is written as an IPv6 one counts as that IPv4 address.
 */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address;
  const plain = unmapped(address.replace(/%.*$/, ''));
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.split('::');
  const groupsOf = (part: string) => (part === '' ? [] : part.split(':'));
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const groups = [...before, ...Array.from({ length: GROUPS - before.length - after.length }, () => '0'), ...after];
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}
