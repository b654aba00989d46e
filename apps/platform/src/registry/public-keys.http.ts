import { Controller, Inject } from '@nestjs/common';
import { FRONT_DOOR, Refusal, registry, type Input } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import { Serves } from '@cds/runtime/http';
import { one, sql, type Db } from '@cds/runtime/db';
import { REGION_DB } from '../databases.ts';

interface Holder {
  type: 'person' | 'company';
  public_key: string;
}

@Controller()
export class PublicKeysHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly bus: Bus,
  ) {}

  /** Of persons alone: what a company is sent goes to the key of one of its services. @spec D1-4.4 @gap D1-4.4 */
  @Serves(registry.readPublicKey)
  async readPublicKey({ params: { shareCode: share_code } }: Input<typeof registry.readPublicKey>) {
    const { type, public_key } = (await this.neighbour(share_code)) ?? (await this.bus.request(FRONT_DOOR.whoHas, {}, { share_code }));
    if (type !== 'person') throw new Refusal('keys.not_found');
    return { share_code, public_key };
  }

  /** Most persons live where they are asked for; the front door knows the others. */
  private neighbour(share_code: string): Promise<Holder | undefined> {
    return one<Holder>(this.db, sql`select type, public_key from profile where share_code = ${share_code}`);
  }
}
