import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type PluginPass, type PluginUse } from '@codase/contracts';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../../kit/databases.ts';
import { PluginPasses } from '../../../services/plugins/index.ts';
import { hasDeletedAccount } from '../run-locks.service.ts';
import { nodeOf, type Reader } from '../present.ts';
import { RunReader } from '../run-reader.service.ts';
import type { RunRow } from '../run-row.ts';
import { checkPartyTurn } from './turn-checks.ts';

/** Issues passes for the plugins of a step, only to the party whose turn it is. @spec D2-4.4 @spec D2-2.6 */
@Injectable()
export class RunPasses {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly reading: RunReader,
    private readonly passes: PluginPasses,
  ) {}

  /** For a step without plugins, the pass allows no plugin. */
  async issue(run: RunRow, by: Reader): Promise<PluginPass> {
    const played = await this.reading.played(this.db, run);
    checkPartyTurn({ ...played, by, hasDeletedParty: await hasDeletedAccount(this.db, played.parties) });
    const node = nodeOf(played.definition, run.current_node);
    if (!node) throw new Refusal('flows.definition_invalid');
    const specs = node.elements.flatMap((element): [string, PluginUse][] =>
      element.kind === 'plugin' ? [[element.slug, element.plugin]] : [],
    );
    return this.passes.issue(run.company_user_id, Object.fromEntries(specs));
  }
}
