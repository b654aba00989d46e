import { ForwarderModule, FrontDoorModule, RegionModule } from '@codase/platform';
import { EXAMPLES, PARAMETER_SAMPLES, type CallerKind, type Endpoint, type Request } from '@codase/contracts';
import { servedEndpoints } from '@codase/runtime/http';
import type { World } from '@codase/testing';

/** The kinds of callers that have a token. */
export type Kind = Exclude<CallerKind, 'anyone'>;
export const KINDS: readonly Kind[] = ['service', 'account', 'portal', 'person'];

/** The endpoints that are really served, read from the modules: a new route is part of every test by itself. */
export const AT_FRONT_DOOR: readonly Endpoint[] = servedEndpoints(FrontDoorModule);
export const AT_REGION: readonly Endpoint[] = servedEndpoints(RegionModule);
export const AT_FORWARDER: readonly Endpoint[] = servedEndpoints(ForwarderModule);

/** The routes of a region that need a token. */
export const GUARDED = AT_REGION.filter(({ callers }) => !callers.includes('anyone'));
/** The routes that need a token and that the front door serves and a region does not. */
export const GUARDED_AT_FRONT_DOOR = AT_FRONT_DOOR.filter(
  ({ at, callers }) => !callers.includes('anyone') && !(at as readonly string[]).includes('region'),
);
export const mayCall = (kind: Kind, { callers }: Endpoint) => callers.includes(kind);
export const kindOf = (contract: Endpoint): Kind => KINDS.find((kind) => mayCall(kind, contract))!;

/** Returns a request that fits the contract. */
export function sampleOf(contract: Endpoint): Request<Endpoint> {
  const parameters = [...contract.path.matchAll(/{(\w+)}/g)].map(([, parameter]) => [parameter!, PARAMETER_SAMPLES[parameter!]]);
  const { query, body } = EXAMPLES[contract.name] ?? {};
  return {
    ...(parameters.length && { params: Object.fromEntries(parameters) }),
    ...(query && { query }),
    ...(body !== undefined && { body }),
  } as Request<Endpoint>;
}

/** Tokens of the demo company's clients, of its user at the portal, and of a person. */
export const tokenOf = (world: World, kind: Kind): Promise<string> => {
  const { shop, automation } = world;
  const claims = {
    service: { client_id: shop.client_id, sub: shop.client_id },
    account: { client_id: automation.client_id, sub: automation.company_user_id },
    portal: { client_id: 'app_portal', sub: shop.company_user_id },
    person: { client_id: 'app_person', sub: world.person('ANA').user_id },
  };
  return world.mints(claims[kind]);
};
