import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Refusal } from '@cds/contracts';
import { BASES, type Bases } from '../regions.ts';

/**
 * Refuses a form that a page of another site sends in the reader's browser, which would sign the reader in as somebody else. Browsers say
 * where a form comes from; programs say nothing and are let through. An origin of `null` tells nothing: our own pages, which hide where
 * they are, have it too.
 */
@Injectable()
export class OwnPage implements CanActivate {
  private readonly own: string;

  constructor(@Inject(BASES) { front_door_url }: Bases) {
    this.own = new URL(front_door_url).origin;
  }

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string | undefined> }>();
    const isElsewhere = !['same-origin', 'none', undefined].includes(headers['sec-fetch-site']);
    const isOther = ![this.own, 'null', undefined].includes(headers['origin']);
    if (isElsewhere || isOther) throw new Refusal('oauth.invalid_request').because('This form was sent by another site: begin again where you came from');
    return true;
  }
}
