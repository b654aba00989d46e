import type { Capability } from '../../kit/capability.ts';
import { contribute } from '../../kit/hooks.ts';
import { KnownSealCertificates1763164800053 } from '../../migrations/front-door/1763164800053-known-seal-certificates.ts';
import { SealCertificates1763164800048 } from '../../migrations/region/1763164800048-seal-certificates.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { STORED_SECRETS_RESEALS, WEBHOOKS } from '../webhooks/index.ts';
import { SealCertificatesHttp } from './seal-certificates.http.ts';
import { SealCertificates } from './seal-certificates.service.ts';
import { KnownCertificatesBus } from './known-certificates.bus.ts';
import { KnownCertificates } from './known-certificates.service.ts';
import { METRICS } from './metrics.ts';
import { PdfVerification } from './pdf-verification.service.ts';
import { PeriodicRegistration } from './periodic-registration.worker.ts';
import { PlatformSeal } from './platform-seal.service.ts';
import { SEAL_SETTINGS, sealSettings } from './seal-settings.service.ts';
import { SealIdentities } from './seal-identities.service.ts';
import { SealingCheck } from './sealing-check.worker.ts';
import { SealingState } from './sealing-state.ts';
import { VerificationHttp } from './verification.http.ts';
import { KnownSealCertificateEntity, SealCertificateEntity } from './seal-certificate.entity.ts';

/** Seals PDFs with the certificate of the region; the front door knows the certificates of all regions. @spec D1-2.12.5 */
export const SEALS: Capability = {
  name: 'seals',
  uses: [REGIONS, WEBHOOKS],
  tables: {
    region: [{ entity: SealCertificateEntity, stays: "the region's own certificates: what was sealed here is verified with them" }],
    frontDoor: [KnownSealCertificateEntity],
  },
  afterRestore: {
    frontDoor: { nothing: 'every region registers its certificates again, each hour' },
    region: { nothing: 'a certificate that was made since the copy is known to the front door' },
  },
  migrations: { region: [SealCertificates1763164800048], frontDoor: [KnownSealCertificates1763164800053] },
  metrics: METRICS,
  parts: {
    'front-door': { http: [VerificationHttp], bus: [KnownCertificatesBus], providers: [KnownCertificates, PdfVerification] },
    region: {
      http: [SealCertificatesHttp],
      workers: [SealingCheck, PeriodicRegistration],
      providers: [SealIdentities, PlatformSeal, SealCertificates],
      contributes: [contribute(STORED_SECRETS_RESEALS, SealIdentities)],
      configure(config) {
        const settings = sealSettings(config);
        const state = new SealingState(settings.check === 'start');
        return {
          providers: [
            { provide: SEAL_SETTINGS, useValue: settings },
            { provide: SealingState, useValue: state },
          ],
          checks: () => ({ sealing: () => state.finding }),
        };
      },
    },
  },
};
