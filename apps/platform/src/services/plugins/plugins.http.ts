import { Controller } from '@nestjs/common';
import { plugins as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { Plugins } from './plugins.service.ts';

type Portal = Caller<typeof contracts.listPlugins>;

/** The plugins of a company, at the portal. @spec D1-2.11 @spec D1-4.6 */
@Controller()
export class PluginsHttp {
  constructor(private readonly plugins: Plugins) {}

  @Serves(contracts.listPlugins)
  list(_: Input<typeof contracts.listPlugins>, { company_user_id }: Portal) {
    return this.plugins.list(company_user_id);
  }

  @Serves(contracts.addPlugin)
  add({ body }: Input<typeof contracts.addPlugin>, { company_user_id }: Portal) {
    return this.plugins.add(company_user_id, body);
  }

  @Serves(contracts.switchOnBuiltin)
  switchOn({ params }: Input<typeof contracts.switchOnBuiltin>, { company_user_id }: Portal) {
    return this.plugins.switchOn(company_user_id, params.key);
  }

  @Serves(contracts.changePluginToken)
  changeToken({ params, body }: Input<typeof contracts.changePluginToken>, caller: Portal) {
    return this.plugins.changeToken(ofPlugin(params, caller), body);
  }

  @Serves(contracts.issueRegistryPass)
  registryPass({ params }: Input<typeof contracts.issueRegistryPass>, caller: Portal) {
    return this.plugins.registryPass(ofPlugin(params, caller));
  }

  @Serves(contracts.deletePlugin)
  remove({ params }: Input<typeof contracts.deletePlugin>, caller: Portal) {
    return this.plugins.remove(ofPlugin(params, caller));
  }
}

const ofPlugin = ({ id }: { id: string }, { company_user_id }: Portal) => ({ company_user_id, plugin_id: id });
