import { SIGN_IN_SUBJECTS } from '@codase/contracts';
import { LiveVariable } from '@codase/runtime/config';
import { APP_EVENT_PRESENTERS, APP_EVENTS } from '../../foundation/app-events/index.ts';
import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { CLIENT_REGISTRY } from '../../access/clients/index.ts';
import { FrontDoorConfig } from '../../kit/config.ts';
import { contribute } from '../../kit/hooks.ts';
import { IDENTITY } from '../../access/identity/index.ts';
import { SignInApps1763164800097 } from '../../migrations/front-door/1763164800097-sign-in-apps.ts';
import { AppSignIns1763164800098 } from '../../migrations/front-door/1763164800098-app-sign-ins.ts';
import { PushedOutSignIns1763164800290 } from '../../migrations/front-door/1763164800290-pushed-out-sign-ins.ts';
import { ClaimPlugins1763164800098 } from '../../migrations/region/1763164800098-claim-plugins.ts';
import { PLUGIN_IN_USE, PLUGINS } from '../../services/plugins/index.ts';
import { answeredBy, PEERS } from '../../foundation/peers/index.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { REGISTRY } from '../../services/registry/index.ts';
import { SERVICES } from '../../services/services/index.ts';
import { APP_SIGN_INS, EXPIRED_ROWS, TOKENS } from '../../access/tokens/index.ts';
import { AppSignInsBus } from './app-sign-ins.bus.ts';
import { AppSignIns } from './app-sign-ins.service.ts';
import { AppSignInsStore } from './app-sign-ins.store.ts';
import { ClaimPasses } from './claim-passes.service.ts';
import { ClaimPlugins } from './claim-plugins.service.ts';
import { ClaimPluginsWorker } from './claim-plugins.worker.ts';
import { ClaimsOfPlugins } from './claims-of-plugins.service.ts';
import { ID_TOKEN_KEYS, IdTokenKeys } from './id-token-keys.service.ts';
import { OpenidHttp } from './openid.http.ts';
import { PhoneSignInsHttp } from './phone-sign-ins.http.ts';
import { METRICS } from './metrics.ts';
import { RegisteredAppsBus } from './registered-apps.bus.ts';
import { RegisteredApps } from './registered-apps.service.ts';
import { RegisteredAppsStore } from './registered-apps.store.ts';
import { SignInAppsHttp } from './sign-in-apps.http.ts';
import { SignInApps } from './sign-in-apps.service.ts';
import { WaitingSignInsBus } from './waiting-sign-ins.bus.ts';
import { WaitingSignIns } from './waiting-sign-ins.service.ts';
import { AppSignInEntity, AppSubjectEntity, SignInAppEntity, ClaimPluginEntity } from './app-sign-in.entity.ts';

/** The apps of companies that let people sign in with their account. @spec D1-4.6 */
export const SIGN_IN_APPS: Capability = {
  name: 'sign-in-apps',
  uses: [AUDIT, REGIONS, PEERS, IDENTITY, CLIENT_REGISTRY, TOKENS, REGISTRY, SERVICES, PLUGINS, APP_EVENTS],
  tables: {
    frontDoor: [SignInAppEntity, AppSignInEntity, AppSubjectEntity],
    region: [{ entity: ClaimPluginEntity, moves: { owner: 'company_user_id', key: 'claim_plugin_id', names: { plugin_id: ['plugin'] } } }],
  },
  reads: {
    client: 'an app is listed with the name and the redirect URIs of its client, in one statement',
    session: 'a sign-in is answered by one conditional update, which finds whose it is and whether it has ended',
    account: 'the same statements find the company of the app, and whether it is disabled',
    plugin: 'only a company with plugins can have claims that use one: its apps are looked at every day',
  },
  afterRestore: {
    frontDoor: { nothing: 'changes of apps since the copy are lost, and listed by the exported audit' },
    region: { nothing: 'changes since the copy are lost, and its company makes them again' },
  },
  migrations: {
    frontDoor: [SignInApps1763164800097, AppSignIns1763164800098, PushedOutSignIns1763164800290],
    region: [ClaimPlugins1763164800098],
  },
  metrics: METRICS,
  parts: {
    'front-door': {
      http: [OpenidHttp],
      bus: [AppSignInsBus, RegisteredAppsBus],
      providers: [AppSignIns, AppSignInsStore, RegisteredApps, RegisteredAppsStore],
      contributes: [contribute(APP_SIGN_INS, AppSignIns), contribute(EXPIRED_ROWS, AppSignInsStore)],
      configure: (config) => {
        const keys = new IdTokenKeys(LiveVariable.of(FrontDoorConfig, config, 'ID_TOKEN_SIGNING_KEY'));
        return { providers: [{ provide: ID_TOKEN_KEYS, useValue: keys }], keys: [keys] };
      },
    },
    region: {
      http: [PhoneSignInsHttp, SignInAppsHttp],
      bus: [answeredBy(SIGN_IN_SUBJECTS, ClaimPasses), WaitingSignInsBus],
      workers: [ClaimPluginsWorker],
      providers: [ClaimPasses, ClaimPlugins, ClaimsOfPlugins, SignInApps, WaitingSignIns],
      contributes: [contribute(PLUGIN_IN_USE, ClaimsOfPlugins), contribute(APP_EVENT_PRESENTERS, WaitingSignIns)],
    },
  },
};
