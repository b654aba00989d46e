import { Inject, Injectable } from '@nestjs/common';
import { PLUGIN_CALL, Refusal, type Input, type Output, type PluginDescription, type plugins } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { FairSemaphore } from '@codase/runtime/resilience';
import { timed } from '@codase/runtime/telemetry';
import { FRONT_DOOR_BASE, KNOWN_KEYS, verifySignature, type KnownKeys } from '../../../access/tokens/index.ts';
import { BuiltinAnswers } from '../builtin/builtin-answers.service.ts';
import { METRICS } from '../metrics.ts';
import { readPass, type PassClaims, type PassUse } from '../plugin-pass.ts';
import { PluginClient } from './plugin-client.service.ts';
import { PluginFault } from './plugin-fault.ts';
import { RegionPlugins, type PluginCall, type WantedCall } from './region-plugins.service.ts';

type Question = Input<typeof plugins.callPlugin>['body'];

/** How many calls a process carries at once: each may have a reply of 1 MiB in memory. */
const CALLS_AT_ONCE = 100;

/** A valid pass, and the region that signed it, which knows the plugins in the pass. */
interface VerifiedPass extends PassClaims {
  region: string;
}

/** Carries sealed questions to plugins and sealed replies back, and opens neither. @spec D2-4.5 @spec D2-7 */
@Injectable()
export class PluginForwarder {
  /** A plugin gets no more places than its region allows for all processes together. */
  private readonly callsOfPlugin = new FairSemaphore({ total: Infinity, each: PLUGIN_CALL.in_flight }, () =>
    new Refusal('plugin.busy').after(1),
  );
  /** Companies share all places: however many plugins of one company hang, some places are left for the next company. */
  private readonly calls = new FairSemaphore({ total: CALLS_AT_ONCE, each: (free) => free }, () =>
    new Refusal('plugin.unavailable').after(1),
  );

  constructor(
    @Inject(KNOWN_KEYS) private readonly keys: KnownKeys,
    private readonly regions: RegionPlugins,
    private readonly plugins: PluginClient,
    private readonly builtins: BuiltinAnswers,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  call({ pass, plugin_id, request }: Question): Promise<Output<typeof plugins.callPlugin>> {
    return measured(async () => {
      const claims = this.verify(pass, 'call');
      if (!claims.plugins.includes(plugin_id)) throw new Refusal('plugin.not_in_pass');
      return this.during({ ...claims, plugin_id }, async (call) => {
        const answer = await this.ask(call, request);
        if (answer !== 'key_changed') return answer;
        // The new description is stored, so that the next pass has the new key.
        const description = await this.fetch(call);
        await this.regions.describe(call, description);
        throw new Refusal('plugin.key_changed', { public_key: description.public_key });
      });
    });
  }

  refresh(pass: string): Promise<Output<typeof plugins.refreshPlugin>> {
    return measured(async () => {
      const claims = this.verify(pass, 'registry');
      return this.during({ ...claims, plugin_id: claims.plugins[0]! }, async (call) => this.regions.describe(call, await this.fetch(call)));
    });
  }

  /** Verifies a pass. The company's region signs it with its key for access tokens; the audience tells a pass from an access token. */
  private verify(pass: string, use: PassUse): VerifiedPass {
    const signed = verifySignature(this.keys, pass);
    const claims = signed && signed.signed_by !== FRONT_DOOR_BASE ? readPass(signed.claims, use, this.clock.now()) : undefined;
    if (!claims) throw new Refusal('plugin.pass_invalid');
    return { ...claims, region: signed!.signed_by };
  }

  /** Does the work as a call, when the plugin and its company have a place for it. */
  private during<T>(wanted: WantedCall, work: (call: PluginCall) => Promise<T>): Promise<T> {
    const { plugin_id, company_user_id = plugin_id } = wanted;
    return this.callsOfPlugin.run(plugin_id, () => this.calls.run(company_user_id, () => this.carry(wanted, work)));
  }

  /** Does the work as a call. The end is always noted, with the reason for the company if the plugin failed. */
  private async carry<T>(wanted: WantedCall, work: (call: PluginCall) => Promise<T>): Promise<T> {
    const call = await this.regions.begin(wanted);
    let fault: string | null = null;
    try {
      return await work(call);
    } catch (error) {
      if (!(error instanceof PluginFault)) throw error;
      fault = error.message;
      throw new Refusal('plugin.not_responding');
    } finally {
      await this.regions.end(call, fault);
    }
  }

  private ask({ base_url, builtin_key, token }: PluginCall, request: string) {
    return base_url === null ? this.builtins.ask(builtin_key!, request) : this.plugins.ask({ base_url, token }, request);
  }

  private fetch({ base_url, builtin_key, token }: PluginCall): Promise<PluginDescription> {
    return base_url === null ? this.builtins.describe(builtin_key!) : this.plugins.describe({ base_url, token });
  }
}

/** Measures a call by how it ended. */
async function measured<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    const answer = await work();
    timed(METRICS.calls, startedAt, { 'codase.outcome': 'answered' });
    return answer;
  } catch (error) {
    timed(METRICS.calls, startedAt, { 'codase.outcome': error instanceof Refusal ? error.key : 'failed' });
    throw error;
  }
}
