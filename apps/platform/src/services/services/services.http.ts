import { Controller, Inject } from '@nestjs/common';
import { Refusal, services as contracts, type Caller, type Input } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import { Serves } from '@codase/runtime/http';
import { REGION_DB } from '../../kit/databases.ts';
import { pageOf, readCursor } from '../../kit/paging.ts';
import { presentService, type ServiceRow } from './service-row.ts';
import { findService, listServices } from './services.store.ts';
import { Services } from './services.service.ts';
import { LOG_KINDS } from './log-kinds.ts';

type Owner = Caller<typeof contracts.createService>;

/** A company's own services, at the portal and by automation. @spec D1-2.4 @spec D1-5.8 */
@Controller()
export class ServicesHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly services: Services,
  ) {}

  @Serves(contracts.createService)
  async create({ body }: Input<typeof contracts.createService>, { company_user_id }: Owner) {
    return presentService(await this.services.create(company_user_id, body));
  }

  @Serves(contracts.listServices)
  async list({ query: { limit, cursor } }: Input<typeof contracts.listServices>, { company_user_id }: Owner) {
    const rows = await listServices(this.db, company_user_id, { limit, after: readCursor(cursor) });
    const { items, next_cursor } = pageOf(rows, limit, ({ created_at, service_id }) => ({ at: created_at, id: service_id }));
    return { items: items.map(presentService), next_cursor };
  }

  @Serves(contracts.readService)
  async read({ params }: Input<typeof contracts.readService>, caller: Owner) {
    return presentService(await findService(this.db, own(params.id, caller)));
  }

  @Serves(contracts.deleteService)
  remove({ params }: Input<typeof contracts.deleteService>, caller: Owner) {
    return this.services.remove(own(params.id, caller));
  }

  @Serves(contracts.changeShareCode)
  async changeShareCode({ params, body: { share_code } }: Input<typeof contracts.changeShareCode>, caller: Owner) {
    const logged = { kind: LOG_KINDS.share_code_changed, message: `The share code is now ${share_code}` } as const;
    return presentService(await this.services.change(own(params.id, caller), { share_code }, logged));
  }

  @Serves(contracts.changeAdminEmail)
  async changeAdminEmail({ params, body: { admin_email } }: Input<typeof contracts.changeAdminEmail>, caller: Owner) {
    return presentService(await this.services.changeAdminEmail(own(params.id, caller), admin_email));
  }

  @Serves(contracts.confirmAdminEmail)
  async confirmAdminEmail({ params, body: { code } }: Input<typeof contracts.confirmAdminEmail>, caller: Owner) {
    return presentService(await this.services.confirmAdminEmail(own(params.id, caller), code));
  }

  @Serves(contracts.changeNumberMatching)
  async changeNumberMatching({ params, body: { number_matching } }: Input<typeof contracts.changeNumberMatching>, caller: Owner) {
    const logged = {
      kind: LOG_KINDS.number_matching_changed,
      message: `Number matching is now ${number_matching ? 'on' : 'off'}`,
    } as const;
    return presentService(await this.services.change(own(params.serviceId, caller), { number_matching }, logged));
  }

  @Serves(contracts.readShareConfig)
  async readShareConfig({ params }: Input<typeof contracts.readShareConfig>, caller: Owner) {
    return presentShareConfig(await findService(this.db, own(params.id, caller)));
  }

  @Serves(contracts.changeShareConfig)
  async changeShareConfig({ params, body }: Input<typeof contracts.changeShareConfig>, caller: Owner) {
    return presentShareConfig(await this.services.changeShareConfig(own(params.id, caller), body));
  }

  /** Returns the private key file as its creator stored it. Only the passphrase opens it, which was never here. @spec D1-2.3 @gap D1-2.3 */
  @Serves(contracts.downloadPrivateKey)
  async downloadPrivateKey({ params }: Input<typeof contracts.downloadPrivateKey>, caller: Owner) {
    const { private_key_pem } = await findService(this.db, own(params.id, caller));
    if (private_key_pem === null) throw new Refusal('company_data.file_not_found');
    return { content_type: 'application/x-pem-file', bytes: Buffer.from(private_key_pem) };
  }
}

const own = (service_id: string, { company_user_id }: Owner) => ({ company_user_id, service_id });

const presentShareConfig = ({ audience, shared_fields, photo_id }: ServiceRow) => ({ audience, fields: shared_fields, photo_id });
