import type { PluginChoice, PluginSnapshot } from '@codase/contracts';
import type { EntityManager } from 'typeorm';
import { hook, requirement } from '../../kit/hooks.ts';
import type { OwnService, ServiceRow } from './service-row.ts';
import type { Withdrawn } from './publication.ts';

/** A capability that stores things because of which a service must not be deleted. @spec D1-4.2 */
export interface ServiceMayEnd {
  /** Refuses the deletion if there is such a thing, in the transaction that would note it. The service is locked. */
  checkServiceMayEnd(tx: EntityManager, own: OwnService): Promise<void>;
}
export const SERVICE_MAY_END = hook<ServiceMayEnd>('may a service end');

/** A capability that stores what the data client of a service has begun. */
export interface ServiceClientEnds {
  /** Called in the transaction that notes that the service is being deleted, or that its client was deleted. The service is locked. */
  serviceClientEnds(tx: EntityManager, own: OwnService): Promise<void>;
}
export const SERVICE_CLIENT_ENDS = hook<ServiceClientEnds>('a service or its client ends');

/** A capability that tells the customers of a service what concerns them, in the transaction of the change. The service is locked. */
export interface CustomerNotices {
  /** The service asks companies for something that it did not ask them for before. */
  moreIsRequired(tx: EntityManager, own: OwnService, at: Date): Promise<void>;
  /** Ends some of what customers have with a service that is being deleted, and returns how many; called again until that is 0. */
  serviceEnds(tx: EntityManager, own: OwnService, at: Date): Promise<number>;
}
export const CUSTOMER_NOTICES = hook<CustomerNotices>('notices to customers');

/** A capability that stores answers to requests, and adapts them in the transaction that publishes a request again. */
export interface GivenAnswers {
  /** Removes answers that are no longer asked for, and emits an event for each that was live. The service is locked. @spec D1-6.1 */
  withdraw(tx: EntityManager, rows: readonly Withdrawn[], at: Date): Promise<void>;
  /** Turns the live answers to some rows into one-time answers, which stay as they are. The service is locked. @gap D1-2.6 */
  settle(tx: EntityManager, service_field_ids: readonly string[], at: Date): Promise<void>;
}
export const GIVEN_ANSWERS = requirement<GivenAnswers>('given answers');

/** The plugin of a request row as the row stores it, with its description of the field at the publication. @spec D1-2.6 */
export interface FieldPlugin extends PluginChoice {
  name: string;
  snapshot: PluginSnapshot;
}

/** A capability that knows the plugins of companies. */
export interface FieldPlugins {
  /** Returns what a row stores of a plugin, which is not deleted before the transaction ends; or why there is no such plugin. */
  describe(tx: EntityManager, company_user_id: string, choice: PluginChoice): Promise<FieldPlugin | string>;
}
export const FIELD_PLUGINS = requirement<FieldPlugins>('plugins of request fields');

/** A capability that knows the photos of companies. */
export interface OwnPhotos {
  /** Whether a service may show a photo of its company or its own, which stays until the transaction ends. Called before any lock. */
  hold(tx: EntityManager, own: OwnService, photo_id: string): Promise<boolean>;
}
export const OWN_PHOTOS = requirement<OwnPhotos>('photos that services show');

/** A capability that mails the code which confirms an admin e-mail. */
export interface AdminEmailCodeMail {
  /** Queues the mail in the transaction that stores the code. Returns false, and queues no mail, when too many were sent today. */
  queue(tx: EntityManager, service: ServiceRow, code: string, now: Date): Promise<boolean>;
}
export const ADMIN_EMAIL_CODE_MAIL = requirement<AdminEmailCodeMail>('mail with the code that confirms an admin e-mail');
