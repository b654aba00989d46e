import { Inject, Injectable } from '@nestjs/common';
import { Refusal, REQUEST_PLUGIN_BYTES, type Input, type Output, type PluginChoice, type services } from '@codase/contracts';
import { PLUGIN } from '@codase/domain/field-types';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { DataSource, EntityManager } from 'typeorm';
import { Home } from '../../foundation/regions/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { newId } from '../../kit/ids.ts';
import { FieldTypesView } from '../registry/index.ts';
import {
  CUSTOMER_NOTICES,
  FIELD_PLUGINS,
  GIVEN_ANSWERS,
  type CustomerNotices,
  type FieldPlugin,
  type FieldPlugins,
  type GivenAnswers,
} from './services.hook.ts';
import { writeLog } from './log.store.ts';
import { asksMoreOf, onceFromNow, withdrawnBy, withIds } from './publication.ts';
import { listRequestFields, replaceRequestFields, type DescribedField, type NewRequestField } from './request-fields.store.ts';
import type { OwnService, ServiceRow } from './service-row.ts';
import { findService, lockService } from './services.store.ts';
import { LOG_KINDS } from './log-kinds.ts';
import { createHash } from 'node:crypto';

type NewRequest = Input<typeof services.publishRequestFields>['body'];
type OwnRequest = Output<typeof services.readOwnRequestFields>;

/** Reads and publishes the request fields of a service. @spec D1-2.6 @spec D1-4.7 */
@Injectable()
export class RequestFields {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly fieldTypes: FieldTypesView,
    @Inject(GIVEN_ANSWERS) private readonly answers: GivenAnswers,
    @Inject(CUSTOMER_NOTICES) private readonly notices: readonly CustomerNotices[],
    @Inject(FIELD_PLUGINS) private readonly plugins: FieldPlugins,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Reads the rows and the token of one moment. A token that does not belong to the rows would let a change be overwritten. */
  read(own: OwnService): Promise<OwnRequest> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const service = await findService(tx, own);
      return { config_token: configToken(service), fields: await listRequestFields(tx, own) };
    });
  }

  /** Publishes all rows or none, and withdraws or settles the answers to earlier rows in the same transaction. @spec D1-4.7 */
  publish(own: OwnService, { config_token, fields }: NewRequest): Promise<OwnRequest> {
    return this.home.write(own.company_user_id, async (tx) => {
      checkCurrent(await lockService(tx, own), config_token);
      for (const field of fields) this.checkType(field);
      const rows = await this.withPlugins(tx, own.company_user_id, fields);
      const [before, at] = [await listRequestFields(tx, own), this.clock.now()];
      await this.answers.withdraw(tx, withdrawnBy(before, rows), at);
      await this.answers.settle(tx, onceFromNow(before, rows), at);
      const published = await replaceRequestFields(
        tx,
        own,
        withIds(before, rows, () => newId('slot')),
      );
      if (asksMoreOf('company', before, rows)) for (const notice of this.notices) await notice.moreIsRequired(tx, own, at);
      const message = `A request of ${fields.length} fields was published`;
      await writeLog(tx, own, { kind: LOG_KINDS.request_fields_published, message }, at);
      return { config_token: configToken(published), fields: await listRequestFields(tx, own) };
    });
  }

  /** @spec D1-2.5 @spec D1-2.6 @gap D1-2.6 */
  private checkType({ slug, type }: NewRequestField): void {
    if (type !== PLUGIN && !this.fieldTypes.types.isRequestable(type)) {
      throw new Refusal('services.request_field_invalid').because(`${slug}: no request field can have the type ${type}`);
    }
  }

  /** Returns the rows with copies of the present descriptions of their plugins, which are bounded together. @spec D1-2.6 @gap D1-8 */
  private async withPlugins(tx: EntityManager, company_user_id: string, fields: readonly NewRequestField[]): Promise<DescribedField[]> {
    const described: DescribedField[] = [];
    let bytes = 0;
    for (const { plugin: choice, ...field } of fields) {
      const plugin = choice && (await this.describe(tx, company_user_id, field.slug, choice));
      bytes += plugin ? Buffer.byteLength(JSON.stringify(plugin.snapshot)) : 0;
      if (bytes > REQUEST_PLUGIN_BYTES)
        throw pluginInvalid(field.slug, `with it the descriptions of the plugins exceed ${REQUEST_PLUGIN_BYTES} bytes`);
      described.push({ ...field, plugin });
    }
    return described;
  }

  private async describe(tx: EntityManager, company_user_id: string, slug: string, choice: PluginChoice): Promise<FieldPlugin> {
    const described = await this.plugins.describe(tx, company_user_id, choice);
    if (typeof described === 'string') throw pluginInvalid(slug, described);
    return described;
  }
}

const pluginInvalid = (slug: string, reason: string) => new Refusal('services.request_field_plugin_invalid').because(`${slug}: ${reason}`);

/** Refuses an old token: another caller may have published since the token was read. @spec D1-7 */
function checkCurrent(service: ServiceRow, config_token: string): void {
  if (config_token !== configToken(service)) throw new Refusal('services.config_conflict');
}

/** Returns the opaque token of the state of the request fields, which changes with every publication. @spec D1-4.7 @gap D1-4.7 */
export const configToken = ({ service_id, config_version }: Pick<ServiceRow, 'service_id' | 'config_version'>): string =>
  createHash('sha256').update(`${service_id} ${config_version}`).digest('base64url').slice(0, 22);
