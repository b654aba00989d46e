import { customer, OpenedReply, plugins } from '@codase/contracts';
import { importValuePublicKey, sealValue } from '@codase/crypto';
import { createReplyKey, openValue } from '@codase/crypto/open';
import type { Person, World } from '@codase/testing';
import { publishMailField } from '../request-field.ts';

const ROW = { slug: 'place', label: 'Place' };
const FIELD_TYPE = 'country_and_subdivision';
const QUESTION = { field_type: FIELD_TYPE, op: 'options', block: 'country', query: 'austria' };

/** Adds a request field with a built-in plugin. Returns how a person calls the plugin through the forwarder. @spec D2-4.5 */
export async function callsOfPlugin(world: World, person: Person): Promise<() => Promise<void>> {
  const { id, registry_pass } = await world.acme.asks(plugins.switchOnBuiltin, { params: { key: 'places' } });
  const at = registry_pass.forwarder_url;
  await world.stranger.asks(plugins.refreshPlugin, { body: { pass: registry_pass.pass } }, { at });
  await publishMailField(world.acme, world.shop.service_id!, [
    { ...ROW, type: 'plugin', plugin: { plugin_id: id, field_type: FIELD_TYPE } },
  ]);
  const { reply_key, privateKey } = await createReplyKey();
  const [companyCode, serviceCode] = ['ACME', 'SHOP'];
  return async () => {
    const { pass, ...issued } = await person.asks(customer.issueRequestPluginPass, { params: { companyCode, serviceCode } });
    const public_key = issued.plugins.find((plugin) => plugin.id === id)!.public_key!;
    const request = await sealValue(await importValuePublicKey(public_key), JSON.stringify({ ...QUESTION, reply_key }));
    const { reply } = await world.stranger.asks(plugins.callPlugin, { body: { pass, plugin_id: id, request } }, { at });
    const opened = OpenedReply.parse(JSON.parse(await openValue(privateKey, reply)));
    if (!('options' in opened) || opened.options[0]?.id !== 'AT') throw new Error('the plugin answered something else');
  };
}
