import { Inject, Injectable } from '@nestjs/common';
import { PUBLIC_KEY_FORM, Refusal, SERVICE_CODE_CHARS, type Input, type services } from '@codase/contracts';
import { randomCode, readPublicKey } from '@codase/crypto';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { Home } from '../../foundation/regions/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { newId } from '../../kit/ids.ts';
import { ContactFields } from '../registry/index.ts';
import { adminEmailCodeEndsAt, adminEmailCodeHash, isAdminEmailCode, newAdminEmailCode, takesAdminEmailCode } from './admin-email-code.ts';
import { ADMIN_EMAIL_CODE_MAIL, OWN_PHOTOS, type AdminEmailCodeMail, type OwnPhotos } from './services.hook.ts';
import { confirmAdminEmail, countWrongCode, setAdminEmail, setAdminEmailCode } from './admin-email.store.ts';
import { writeLog, type Logged } from './log.store.ts';
import type { OwnService, ServiceRow } from './service-row.ts';
import {
  addService,
  changeService,
  countServices,
  findService,
  lockService,
  type NewServiceRow,
  type ServiceChange,
} from './services.store.ts';
import { ServiceTransitions } from './service-transitions.service.ts';
import { LOG_KINDS } from './log-kinds.ts';

type NewService = Input<typeof services.createService>['body'];
type ShareConfig = Input<typeof services.changeShareConfig>['body'];

/** How many services a company may have. @gap D1-8 */
export const SERVICES_PER_COMPANY = Symbol('services per company');

const UNMAILED = '; no code was mailed to the admin e-mail, as too many went out today: set it again tomorrow';

/** How many share codes are tried: two in a row that are taken would already be extremely rare. */
const DRAWS = 5;

/** Creates, changes and deletes services of companies. Each change and its log entry are one transaction. */
@Injectable()
export class Services {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly home: Home,
    private readonly transitions: ServiceTransitions,
    private readonly contactFields: ContactFields,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly audit: Audit,
    @Inject(SERVICES_PER_COMPANY) private readonly most: number,
    @Inject(ADMIN_EMAIL_CODE_MAIL) private readonly codeMail: AdminEmailCodeMail,
    @Inject(OWN_PHOTOS) private readonly photos: OwnPhotos,
  ) {}

  /** Creates a service. Only the passphrase opens its private key, and the server never sees the passphrase. @spec D1-2.4 */
  async create(company_user_id: string, body: NewService): Promise<ServiceRow> {
    await checkPublicKey(body.public_key);
    const { private_key_pem = null, ...given } = body;
    const created_at = this.clock.now();
    return this.home.write(company_user_id, async (tx) => {
      await this.checkCapacity(tx, company_user_id);
      const added = await addWithCode(tx, { ...given, service_id: newId('ser'), company_user_id, private_key_pem, created_at });
      const { service, isUnmailed } = await this.setAdminEmail(tx, added, given.admin_email);
      const message = `The service was created with the share code ${service.share_code}${isUnmailed ? UNMAILED : ''}`;
      await writeLog(tx, service, { kind: LOG_KINDS.service_created, message }, created_at);
      await this.audit.record(tx, { act: 'service.created', account_id: company_user_id, object: service.service_id });
      return service;
    });
  }

  /** Changes columns of a service. `holdFirst` checks what the change refers to, before the service is locked. */
  change(own: OwnService, change: ServiceChange, logged: Logged, holdFirst?: (tx: EntityManager) => Promise<void>): Promise<ServiceRow> {
    return this.home.write(own.company_user_id, async (tx) => {
      await holdFirst?.(tx);
      const changed = await changeService(tx, await lockService(tx, own), change);
      await writeLog(tx, own, logged, this.clock.now());
      return changed;
    });
  }

  /** Changes the admin e-mail, and mails a code to one that is not confirmed. Setting the same address again mails another code. */
  changeAdminEmail(own: OwnService, admin_email: string): Promise<ServiceRow> {
    return this.home.write(own.company_user_id, async (tx) => {
      const { service, isUnmailed } = await this.setAdminEmail(tx, await lockService(tx, own), admin_email);
      const message = `The admin e-mail was changed${isUnmailed ? UNMAILED : ''}`;
      await writeLog(tx, own, { kind: LOG_KINDS.admin_email_changed, message }, this.clock.now());
      return service;
    });
  }

  /** Confirms the admin e-mail with a code. Wrong codes are counted, so the transaction commits for them too. @gap D1-2.4 */
  async confirmAdminEmail(own: OwnService, code: string): Promise<ServiceRow> {
    const now = this.clock.now();
    const confirmed = await this.home.write(own.company_user_id, async (tx) => {
      const service = await lockService(tx, own);
      if (service.admin_email_confirmed_at) return service;
      if (!takesAdminEmailCode(service, now)) return undefined;
      if (!(await isAdminEmailCode(service, code))) {
        await countWrongCode(tx, service);
        return undefined;
      }
      await writeLog(tx, own, { kind: LOG_KINDS.admin_email_confirmed, message: 'The admin e-mail was confirmed' }, now);
      return confirmAdminEmail(tx, service, now);
    });
    if (!confirmed) throw new Refusal('services.admin_email_code_invalid');
    return confirmed;
  }

  /** Sets the admin e-mail, and mails a code when one is needed. `isUnmailed`: a code is needed, and none was mailed. */
  private async setAdminEmail(tx: EntityManager, before: ServiceRow, admin_email: string) {
    const service = await setAdminEmail(tx, before, admin_email);
    if (service.admin_email_confirmed_at) return { service, isUnmailed: false };
    const [code, now] = [newAdminEmailCode(), this.clock.now()];
    if (!(await this.codeMail.queue(tx, service, code, now))) return { service, isUnmailed: true };
    await setAdminEmailCode(tx, service, adminEmailCodeHash(service, code), adminEmailCodeEndsAt(now));
    return { service, isUnmailed: false };
  }

  /** Changes the audience of the service and what it shows, which must be something that the company has. @gap D1-5.8 */
  async changeShareConfig(own: OwnService, { audience, fields, photo_id }: ShareConfig): Promise<ServiceRow> {
    const shared_fields = [...new Set(fields)];
    await this.checkFields(own, shared_fields);
    const message = `The service is for ${audience === 'b2b' ? 'companies only' : 'everybody'} and shows ${shared_fields.length} fields`;
    const logged = { kind: LOG_KINDS.share_config_changed, message };
    return this.change(own, { audience, shared_fields, photo_id }, logged, (tx) => this.holdPhoto(tx, own, photo_id));
  }

  /** Deletes a service, and its client first: no client outlives it. Nothing is begun without the front door. @spec D1-5.8 */
  async remove(own: OwnService): Promise<void> {
    await findService(this.db, own);
    await this.transitions.hasClient(own);
    await this.transitions.delete(own);
  }

  private async checkCapacity(tx: EntityManager, company_user_id: string): Promise<void> {
    if ((await countServices(tx, company_user_id)) < this.most) return;
    const mend = 'delete one that nobody needs, or ask the operator for more';
    throw new Refusal('services.too_many').because(`The company has ${this.most} services, as many as it may have: ${mend}`);
  }

  private async holdPhoto(tx: EntityManager, own: OwnService, photo_id: string | null): Promise<void> {
    if (photo_id === null) return;
    await findService(tx, own); // so that a service of another company is not found, rather than the photo
    if (!(await this.photos.hold(tx, own, photo_id))) throw new Refusal('photos.not_found');
  }

  private async checkFields({ company_user_id }: OwnService, fields: readonly string[]): Promise<void> {
    const fillable = (await this.contactFields.of(company_user_id)).filter(({ usertype }) => usertype !== 'person');
    const unknown = fields.find((slug) => !fillable.some((field) => field.slug === slug));
    if (unknown !== undefined) throw new Refusal('contact_fields.not_found').because(`fields: a company has no contact field ${unknown}`);
  }
}

/** Refuses a public key that is not RSA with 2048 bits and exponent 65537: nobody could open what is sealed to it. @spec D1-2.4 */
const checkPublicKey = (public_key: string) =>
  readPublicKey(public_key).catch(() => {
    throw new Refusal('services.key_invalid').because(`public_key: ${PUBLIC_KEY_FORM}`);
  });

async function addWithCode(tx: EntityManager, service: Omit<NewServiceRow, 'share_code'>): Promise<ServiceRow> {
  for (let draw = 0; draw < DRAWS; draw++) {
    const added = await addService(tx, { ...service, share_code: newShareCode() });
    if (added) return added;
  }
  throw new Refusal('service.unavailable');
}

/** The alphabet without 0, 1, I and O, which are misread. A company that chooses its code may use them. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** Returns the code of a new service, which it has until its company chooses another one. @spec D1-2.4 @gap D1-2.4 */
const newShareCode = (): string => randomCode(SERVICE_CODE_CHARS, ALPHABET);
