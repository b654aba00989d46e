export { SERVICES } from './capability.ts';
export { configToken } from './config-token.ts';
export { CUSTOMER_NOTICES, type CustomerNotices } from './customer-notices.hook.ts';
export type { Withdrawn } from './publication.ts';
export { GIVEN_ANSWERS, type GivenAnswers } from './given-answers.hook.ts';
export { ADMIN_EMAIL_CODE_MAIL, type AdminEmailCodeMail } from './admin-email-code-mail.hook.ts';
export { FIELD_PLUGINS, type FieldPlugin, type FieldPlugins } from './field-plugins.hook.ts';
export { OWN_PHOTOS, type OwnPhotos } from './own-photos.hook.ts';
export { listRequestFields, pluginFieldsOf, type OwnRequestField } from './request-fields.store.ts';
export { writeLog, writeLogs } from './log.store.ts';
export { SERVICE_CLIENT_ENDS, type ServiceClientEnds } from './service-client-ends.hook.ts';
export { SERVICE_MAY_END, type ServiceMayEnd } from './service-may-end.hook.ts';
export type { OwnService, ServiceRow } from './service-row.ts';
export {
  countServices,
  findService,
  findServiceByCode,
  hideField,
  hidePhoto,
  holdService,
  lockService,
  provisionService,
  removeServicesOf,
  servicesAmong,
  type ProvisionedService,
} from './services.store.ts';
