import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { CLIENT_REGISTRY } from '../../access/clients/index.ts';
import { FEED } from '../feed/index.ts';
import { ProfilesAndServices1763164800002 } from '../../migrations/region/1763164800002-profiles-and-services.ts';
import { AccountsAndServices1763164800004 } from '../../migrations/region/1763164800004-accounts-and-services.ts';
import { RowSecurity1763164800350 } from '../../migrations/region/1763164800350-row-security.ts';
import { ServiceTransitions1763164800014 } from '../../migrations/region/1763164800014-service-transitions.ts';
import { ServiceLogAge1763164800022 } from '../../migrations/region/1763164800022-service-log-age.ts';
import { HoldServices1763164800029 } from '../../migrations/region/1763164800029-hold-services.ts';
import { ConfirmedAdminEmails1763164800025 } from '../../migrations/region/1763164800025-confirmed-admin-emails.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { REGISTRY } from '../registry/index.ts';
import {
  ADMIN_EMAIL_CODE_MAIL,
  CUSTOMER_NOTICES,
  FIELD_PLUGINS,
  GIVEN_ANSWERS,
  OWN_PHOTOS,
  SERVICE_CLIENT_ENDS,
  SERVICE_MAY_END,
} from './services.hook.ts';
import { LogsHttp } from './logs.http.ts';
import { RequestFieldsHttp } from './request-fields.http.ts';
import { RequestFields } from './request-fields.service.ts';
import { ServiceClientHttp } from './service-client.http.ts';
import { ServiceClients } from './service-clients.service.ts';
import { SERVICE_LOG_DAYS, ServiceLogRetention } from './service-log-retention.worker.ts';
import { ServiceTransitions } from './service-transitions.service.ts';
import { ServiceTransitionsWorker } from './service-transitions.worker.ts';
import { ServicesHttp } from './services.http.ts';
import { Services, SERVICES_PER_COMPANY } from './services.service.ts';
import { WhoamiHttp } from './whoami.http.ts';
import { LOG_KINDS } from './log-kinds.ts';
import { METRICS } from './metrics.ts';
import { ServiceEntity, ServiceLogEntity, RequestFieldEntity } from './service.entity.ts';
import { deleteServicesAgain } from './after-restore.service.ts';

/** Services of companies, their request fields, their data clients and their logs. @spec D1-2.4 @spec D1-2.6 */
export const SERVICES: Capability = {
  name: 'services',
  uses: [AUDIT, REGIONS, CLIENT_REGISTRY, FEED, REGISTRY],
  tables: {
    region: [
      { entity: ServiceEntity, moves: { owner: 'company_user_id', key: 'service_id', names: { photo_id: ['photo'] } } },
      { entity: RequestFieldEntity, moves: { owner: 'company_user_id', key: 'service_field_id' } },
      { entity: ServiceLogEntity, moves: { owner: 'company_user_id', key: 'log_id', names: { webhook_id: ['webhook'] } } },
    ],
  },
  afterRestore: { region: { first: [deleteServicesAgain], covers: ['service.deleted'] } },
  migrations: {
    region: [
      ProfilesAndServices1763164800002,
      AccountsAndServices1763164800004,
      ServiceTransitions1763164800014,
      ServiceLogAge1763164800022,
      HoldServices1763164800029,
      ConfirmedAdminEmails1763164800025,
      RowSecurity1763164800350,
    ],
  },
  metrics: METRICS,
  logKinds: LOG_KINDS,
  offers: [CUSTOMER_NOTICES, SERVICE_CLIENT_ENDS, SERVICE_MAY_END],
  requires: [ADMIN_EMAIL_CODE_MAIL, FIELD_PLUGINS, GIVEN_ANSWERS, OWN_PHOTOS],
  parts: {
    region: {
      http: [WhoamiHttp, ServicesHttp, RequestFieldsHttp, ServiceClientHttp, LogsHttp],
      workers: [ServiceTransitionsWorker, ServiceLogRetention],
      providers: [Services, RequestFields, ServiceClients, ServiceTransitions],
      configure: (config) => ({
        providers: [
          { provide: SERVICE_LOG_DAYS, useValue: config.SERVICE_LOG_DAYS },
          { provide: SERVICES_PER_COMPANY, useValue: config.SERVICES_PER_COMPANY },
        ],
      }),
    },
  },
};
