export { WEBHOOKS } from './capability.ts';
export { Outgoing } from './delivery/outgoing.service.ts';
export { RegionDelivery } from './delivery/region-delivery.service.ts';
export {
  SEALED_ROWS,
  STORED_SECRETS_RESEALS,
  type SealedRow,
  type SealedRows,
  type StoredSecretsReseal,
} from './stored-secrets-reseal.hook.ts';
export { signingSecretsAmong } from './webhooks.store.ts';
