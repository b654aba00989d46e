import { Inject, Injectable } from '@nestjs/common';
import { Refusal, SIGN_IN_SUBJECTS, type FRONT_DOOR, type PluginPass, type PluginUse } from '@codase/contracts';
import type { MessageOf, ReplyOf } from '@codase/runtime/nest-bus';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { PluginPasses, PluginSnapshots } from '../../services/plugins/index.ts';
import { Peers, type Handlers } from '../../foundation/peers/index.ts';
import { homeStateOf } from '../../foundation/regions/index.ts';
import { pluginsOfApp } from './claim-plugins.store.ts';

type WaitingSignIn = ReplyOf<typeof FRONT_DOOR.listSignIns>['items'][number];
type PassRequest = MessageOf<typeof SIGN_IN_SUBJECTS.claimPass>;

/**
 * Issues passes for the plugins that answer claims of a sign-in. The phone asks its own region; the plugins are in the region of the
 * company, which signs the pass. Claims have no inputs: there are no other values that inputs could come from. @spec D1-2.5 @gap D1-4.6
 */
@Injectable()
export class ClaimPasses implements Handlers<typeof SIGN_IN_SUBJECTS> {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly peers: Peers,
    private readonly passes: PluginPasses,
    private readonly snapshots: PluginSnapshots,
  ) {}

  /** Issues a pass for a sign-in of a person of this region. */
  issue({ app_id, company_user_id, company_region: region, claims }: WaitingSignIn): Promise<PluginPass> {
    const request = { app_id, company_user_id, claims: claims.flatMap(({ slug, plugin }) => (plugin ? [{ slug, ...plugin }] : [])) };
    return this.peers.call(SIGN_IN_SUBJECTS.claimPass, region, request);
  }

  /**
   * Issues a pass for an app of a company of this region. A plugin that the app does not use any more, or that no longer offers the field,
   * is left out: another region cannot get a pass for other plugins of the company.
   */
  async claimPass({ app_id, company_user_id, claims }: PassRequest): Promise<PluginPass> {
    if ((await homeStateOf(this.db, company_user_id)) !== 'here') throw new Refusal('service.unavailable');
    const used = await pluginsOfApp(this.db, { company_user_id, app_id });
    const described = await this.snapshots.snapshotsOf(this.db, company_user_id, used);
    const specs = claims.flatMap(({ slug, plugin_id, field_type }): [string, PluginUse][] => {
      const snapshot = described.get(plugin_id)?.get(field_type);
      return snapshot ? [[slug, { plugin_id, field_type, snapshot, inputs: {} }]] : [];
    });
    return this.passes.issue(company_user_id, Object.fromEntries(specs));
  }
}
