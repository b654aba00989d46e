import { flowAuthoring, type Output, type Request } from '@codase/contracts';
import { Facet } from './stranger.ts';

export type AuthoredFlow = Output<typeof flowAuthoring.readFlow>;
type Envelope = Request<typeof flowAuthoring.putTemplate>['body'];
type Draft = Request<typeof flowAuthoring.saveDraft>['body']['draft'];

/** What a company does with its contract flows at the portal. @spec D2-1 */
export class Flows extends Facet {
  begins(service_id: string, name = 'Framework agreement'): Promise<AuthoredFlow> {
    return this.actor.asks(flowAuthoring.createFlow, { body: { service_id, name } });
  }

  reads({ id }: Pick<AuthoredFlow, 'id'>): Promise<AuthoredFlow> {
    return this.actor.asks(flowAuthoring.readFlow, { params: { flowId: id } });
  }

  /** Replaces the draft that was read before. */
  saves({ id, draft_token }: Pick<AuthoredFlow, 'id' | 'draft_token'>, draft: Draft): Promise<AuthoredFlow> {
    return this.actor.asks(flowAuthoring.saveDraft, { params: { flowId: id }, body: { draft_token, draft } });
  }

  validates({ id }: Pick<AuthoredFlow, 'id'>): Promise<Output<typeof flowAuthoring.validateFlow>> {
    return this.actor.asks(flowAuthoring.validateFlow, { params: { flowId: id } });
  }

  publishesDraft({ id, draft_token }: Pick<AuthoredFlow, 'id' | 'draft_token'>): Promise<Output<typeof flowAuthoring.publishFlow>> {
    return this.actor.asks(flowAuthoring.publishFlow, { params: { flowId: id }, body: { draft_token } });
  }

  /** Writes and publishes a flow of a service, or a new version of a flow. Throws with the findings when the flow has errors. */
  async publishes(service_id: string, draft: Draft, flow?: Pick<AuthoredFlow, 'id'>): Promise<AuthoredFlow> {
    const begun = flow ? await this.reads(flow) : await this.begins(service_id);
    const saved = await this.saves(begun, draft);
    const { published, findings } = await this.publishesDraft(saved);
    if (!published) throw new Error(`the flow has errors:\n${findings.map(({ key, message }) => `${key} ${message}`).join('\n')}`);
    return this.reads(saved);
  }

  /** Adds or replaces a PDF template or an image. */
  uploads({ id }: Pick<AuthoredFlow, 'id'>, assetKey: string, body: Envelope): Promise<Output<typeof flowAuthoring.putTemplate>> {
    return this.actor.asks(flowAuthoring.putTemplate, { params: { flowId: id, assetKey }, body });
  }

  deletes({ id }: Pick<AuthoredFlow, 'id'>): Promise<unknown> {
    return this.actor.asks(flowAuthoring.deleteFlow, { params: { flowId: id } });
  }
}
