export { SERVICES } from './capability.ts';
export { configToken } from './request-fields.service.ts';
export {
  ADMIN_EMAIL_CODE_MAIL,
  CUSTOMER_NOTICES,
  FIELD_PLUGINS,
  GIVEN_ANSWERS,
  OWN_PHOTOS,
  SERVICE_CLIENT_ENDS,
  SERVICE_MAY_END,
  type AdminEmailCodeMail,
  type CustomerNotices,
  type FieldPlugin,
  type FieldPlugins,
  type GivenAnswers,
  type OwnPhotos,
  type ServiceClientEnds,
  type ServiceMayEnd,
} from './services.hook.ts';
export type { Withdrawn } from './publication.ts';
export { listRequestFields, pluginFieldsOf, type OwnRequestField } from './request-fields.store.ts';
export { writeLog, writeLogs } from './log.store.ts';
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
