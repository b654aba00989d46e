import { opened } from '@codase/actors';
import { customerSide, generates, ownerSide, serviceSide, type OwnerSide, type RunSide } from '@codase/testing';
import {
  contractSignedBy,
  contractWith,
  leafOf,
  signatureOf,
  VALUES,
  type PlayedContract,
  type RunDocumentsWorld,
} from '../../agreements/runs/run-documents-world.ts';

/** Plays a run up to a call, and returns the call. */
type Plays = (at: RunDocumentsWorld) => Promise<() => Promise<unknown>>;
type SideOf<Side> = (at: RunDocumentsWorld, played: PlayedContract) => Side;

const service: SideOf<OwnerSide> = ({ shop }) => serviceSide(shop);
const automation: SideOf<OwnerSide> = ({ world, shop }, { flow: flowId }) => ownerSide(world.automation, { id: shop.service_id!, flowId });
const customer: SideOf<RunSide> = (_, { person, connection }) => customerSide(person, connection);

const generating =
  (party: 'company' | 'customer', sideOf: SideOf<RunSide>): Plays =>
  async (at) => {
    const flow = await at.publishes(contractWith((definition) => void (leafOf(definition).party = party)));
    const played = await at.atLeaf(flow);
    return () => generates(sideOf(at, played), played.run.id, { values: VALUES });
  };

const BODIES = { sign: signatureOf, accept: opened, decline: async () => ({}) };

const acting =
  (act: keyof typeof BODIES, sideOf: SideOf<OwnerSide>): Plays =>
  async (at) => {
    const requestedAct = act === 'accept' ? 'accept' : 'sign';
    const played = await at.signing(await at.publishes(contractSignedBy([{ party: 'company', action: requestedAct }])));
    const [{ outputs }, body] = [sideOf(at, played), await BODIES[act](played.pdf)];
    return () => outputs[act](played.run.id, 'contract', body as never);
  };

const GENERATED = ['document.created', 'document.created', 'flow_run.generated'];
const DECLINED = ['document.declined', 'flow_run.cancelled'];

/** The routes of the documents of a run, with the acts that the audit notes of each call. */
export const OF_RUNS: Record<string, { acts: string[]; plays: Plays }> = {
  generate_documents: { acts: GENERATED, plays: generating('company', service) },
  generate_own_documents: { acts: GENERATED, plays: generating('company', automation) },
  generate_customer_documents: { acts: GENERATED, plays: generating('customer', customer) },
  sign_output: { acts: ['document.signed'], plays: acting('sign', service) },
  sign_own_output: { acts: ['document.signed'], plays: acting('sign', automation) },
  accept_output: { acts: ['document.accepted'], plays: acting('accept', service) },
  accept_own_output: { acts: ['document.accepted'], plays: acting('accept', automation) },
  decline_output: { acts: DECLINED, plays: acting('decline', service) },
  decline_own_output: { acts: DECLINED, plays: acting('decline', automation) },
};
