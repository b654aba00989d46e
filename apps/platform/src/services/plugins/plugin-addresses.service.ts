import { isIP } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { isLoopback, isPublicAddress } from '@codase/runtime/http';
import { BASES, type Bases } from '../../foundation/regions/index.ts';
import { FORWARDER_URL } from './plugin-passes.service.ts';

export const LOOPBACK_PLUGINS = Symbol('plugins on this machine');

/** Decides by the URL which addresses a plugin may have. The IP address of its name is checked at each call. @spec D1-7 */
@Injectable()
export class PluginAddresses {
  private readonly platformHosts: ReadonlySet<string>;

  constructor(
    @Inject(BASES) { front_door_url, regions }: Bases,
    @Inject(FORWARDER_URL) forwarder_url: string,
    /** Whether plugins on this machine are allowed, for development. */
    @Inject(LOOPBACK_PLUGINS) private readonly loopback: boolean,
  ) {
    const urls = [front_door_url, forwarder_url, ...regions.map(({ api_url }) => api_url)];
    this.platformHosts = new Set(urls.map((url) => new URL(url).hostname));
  }

  /** Returns the address as it is stored, in one form for each plugin, or refuses it. */
  checked(base_url: string): string {
    const url = new URL(base_url);
    const fault = this.faultOf(url);
    if (fault) throw new Refusal('plugins.url_invalid').because(`base_url: ${fault}`);
    return url.href.replace(/\/+$/, '');
  }

  private faultOf({ hostname, port }: URL): string | undefined {
    const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    const isLocal = host === 'localhost' || host.endsWith('.localhost') || (isIP(host) !== 0 && isLoopback(host));
    if (isLocal) return this.loopback ? undefined : 'is on the machine of the platform: give the address of a public host';
    if (isIP(host) !== 0 && !isPublicAddress(host)) return 'is an address that is not public';
    if (isIP(host) === 0 && !host.includes('.')) return 'is not the name of a public host';
    if (this.platformHosts.has(host)) return 'is an address of the platform itself';
    return port === '' ? undefined : 'must be on port 443';
  }
}
