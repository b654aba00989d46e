import { Inject, Injectable } from '@nestjs/common';
import { REGION_PLUGINS, Refusal, type PluginDescription } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { newId } from '../../../kit/ids.ts';
import { newSealingKey, openAtProcess } from '../../../kit/secrets/process-seal.ts';
import type { PassUse } from '../plugin-pass.ts';
import { tokenSeal } from '../token-seal.ts';

/** The plugin to call, its company, the use of the call, and the region that knows the plugin. */
export interface WantedCall {
  region: string;
  plugin_id: string;
  /** Absent when the pass does not name it. */
  company_user_id?: string | undefined;
  use: PassUse;
}

/** A call that counts within the limits of its plugin. */
export interface PluginCall {
  region: string;
  call_id: string;
  base_url: string | null;
  builtin_key: string | null;
  token: string | undefined;
}

/** Asks the regions, which know the plugins. They seal tokens to a key that this process makes, and that never leaves it. */
@Injectable()
export class RegionPlugins {
  private readonly sealingKey = newSealingKey();

  constructor(
    private readonly bus: Bus,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async begin({ region, plugin_id, company_user_id, use }: WantedCall): Promise<PluginCall> {
    const message = { plugin_id, use, sealing_key: this.sealingKey.public_key };
    const ask = (more: { call_id?: string; company_user_id?: string }) =>
      this.bus.request(REGION_PLUGINS.begin, { region }, { ...more, ...message });
    const { sealed_token, ...call } = await ask({ call_id: newId('call'), ...(company_user_id !== undefined && { company_user_id }) })
      .catch((error: unknown) => (isUnknown(error) ? ask({}) : Promise.reject(error as Error)))
      .catch(unavailable);
    const token = sealed_token === null ? undefined : openAtProcess(this.sealingKey, tokenSeal(plugin_id), sealed_token);
    if (sealed_token !== null && token === undefined) throw new Error('the region sealed the token of a plugin to another process');
    return { region, token, ...call };
  }

  /** Notes the end of a call. A failure is only logged, since the caller has its answer and the region ends forgotten calls by itself. */
  async end({ region, call_id }: PluginCall, error: string | null): Promise<void> {
    await this.bus
      .request(REGION_PLUGINS.end, { region }, { call_id, error })
      .catch((failure: unknown) =>
        this.log.warn('the end of a plugin call was not noted: its place is taken for a while', { error: failure }),
      );
  }

  describe({ region, call_id }: PluginCall, description: PluginDescription) {
    return this.bus.request(REGION_PLUGINS.describe, { region }, { call_id, description }).catch(unavailable);
  }
}

/** Whether the region has an earlier release, which does not accept call ids or companies from its callers. */
const isUnknown = (error: unknown): boolean => error instanceof Refusal && error.key === 'request.invalid';

/** Passes a refusal about the plugin itself on. When the region cannot be asked, or may not write, the plugin is unavailable. @spec D2-7 */
function unavailable(error: unknown): never {
  if (error instanceof Refusal && error.key.startsWith('plugin.')) throw error;
  throw new Refusal('plugin.unavailable');
}
