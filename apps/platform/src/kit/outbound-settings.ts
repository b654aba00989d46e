import { ConfigFault, isProduction, type NodeEnv } from '@codase/runtime/config';
import type { OutboundConfig } from './config.ts';

/** Which addresses that others chose may be called: those of webhooks and plugins. */
export const outboundSettings = (config: OutboundConfig & NodeEnv) => ({
  loopback: allowsLoopback(config),
  deny: { networks: config.OUTBOUND_DENY_NETWORKS, ports: config.OUTBOUND_DENY_PORTS },
});

/** Whether webhooks and plugins may be on this machine. For development only. */
export function allowsLoopback({ LOOPBACK_TARGETS, ...config }: Pick<OutboundConfig, 'LOOPBACK_TARGETS'> & NodeEnv): boolean {
  if (LOOPBACK_TARGETS === 'allowed' && isProduction(config))
    throw new ConfigFault(['LOOPBACK_TARGETS: allowed is for development; in production webhooks and plugins have public addresses alone']);
  return LOOPBACK_TARGETS === 'allowed';
}
