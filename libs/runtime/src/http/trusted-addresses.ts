import { BlockList, isIP, isIPv6 } from 'node:net';
import { ConfigFault } from '../config/index.ts';

/** Names of well-known networks, which are usual for the proxies of Node programs. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Returns a test of whether an address is on a list such as `10.0.0.0/8, 192.0.2.7, loopback`. Without a list, no address is. */
export function trustedAddresses(list: string | undefined): (address: string) => boolean {
  const trusted = new BlockList();
  const networks = (list ?? '').split(',').map((network) => network.trim());
  for (const network of networks.filter(Boolean).flatMap((name) => NAMED[name] ?? [name])) add(trusted, network);
  return (address) => isIP(address) !== 0 && trusted.check(address, familyOf(address));
}

function add(trusted: BlockList, network: string): void {
  const [address = '', prefix, ...rest] = network.split('/');
  try {
    if (isIP(address) === 0 || rest.length > 0) throw new Error('no address');
    if (prefix === undefined) trusted.addAddress(address, familyOf(address));
    else trusted.addSubnet(address, Number(prefix), familyOf(address));
  } catch {
    throw new ConfigFault(['TRUST_PROXY: addresses or networks such as 10.0.0.0/8, separated by commas']);
  }
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
