import { Controller, Inject } from '@nestjs/common';
import { CALL_FORWARDER, plugins, Refusal } from '@codase/contracts';
import { ApiClient } from '@codase/runtime/http';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import { SETTINGS, type Settings } from '../config.ts';
import { LimitsService } from '../limits/limits.service.ts';
import { METRICS } from '../metrics.ts';
import { Deadline } from '../routing/deadline.ts';
import { RetryingCaller } from '../routing/retrying-caller.service.ts';

/** Calls the forwarder of the platform, which gets the pass in the body and no token of the gateway. @spec D2-4.5 */
@Controller()
export class ForwarderBus {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
    private readonly limits: LimitsService,
    private readonly caller: RetryingCaller,
  ) {}

  /** Sends a question to a plugin, which may be sent again. The forwarder counts by address, so all services share its limit. */
  @Answers(CALL_FORWARDER, { queue: 'gateway' })
  call({ forwarder_url, ...body }: MessageOf<typeof CALL_FORWARDER>, context: BusContext<typeof CALL_FORWARDER>) {
    const {
      values: { service },
      user: by = 'anyone',
      withinMs,
    } = context;
    if (!this.settings.clients.has(service)) throw new Refusal('gateway.client_unknown');
    this.checkHost(service, forwarder_url);
    const deadline = new Deadline(withinMs);
    return this.caller.call({
      limiter: this.limits.limiterOf('every client', 'plugin_calls'),
      by,
      deadline,
      safe: true,
      base: () => forwarder_url,
      send: () =>
        deadline.bound((signal) => new ApiClient(forwarder_url, { timeoutMs: deadline.leftMs, signal }).call(plugins.callPlugin, { body })),
    });
  }

  /** Checks the address, because the caller names it: a pass is sent only to hosts of the platform. */
  private checkHost(service: string, forwarder_url: string): void {
    const fault = this.settings.hosts.faultOf(forwarder_url);
    if (fault === undefined) return;
    count(METRICS.gatewayRefused, { 'codase.check': 'api_host' });
    this.log.error('a question to a plugin was not sent: its host is not on the list', {
      'codase.service': service,
      'server.address': new URL(forwarder_url).hostname,
    });
    throw new Refusal('gateway.host_refused').because(fault);
  }
}
