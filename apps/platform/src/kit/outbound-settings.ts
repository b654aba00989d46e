import { ConfigFault } from '@codase/runtime/config';
import type { OutboundConfig } from './config.ts';

interface Node {
  NODE_ENV?: string | undefined;
}

/** Which addresses that others chose may be called: those of webhooks and plugins. */
export const outboundSettings = (config: OutboundConfig & Node) => ({
  loopback: allowsLoopback(config),
  deny: { networks: config.OUTBOUND_DENY_NETWORKS, ports: config.OUTBOUND_DENY_PORTS },
});

/** Whether webhooks and plugins may be on this machine. For development only. */
export function allowsLoopback({ LOOPBACK_TARGETS, NODE_ENV }: Pick<OutboundConfig, 'LOOPBACK_TARGETS'> & Node): boolean {
  if (LOOPBACK_TARGETS === 'allowed' && NODE_ENV === 'production')
    throw new ConfigFault(['LOOPBACK_TARGETS: allowed is for development; in production webhooks and plugins have public addresses alone']);
  return LOOPBACK_TARGETS === 'allowed';
}
