import type { EncryptedPrivateKey, Output, services } from '@codase/contracts';
import type { ServiceEntity } from './service.entity.ts';

/** A service and its company. Every statement names both, so that no company reaches a service of another. */
export type OwnService = Pick<ServiceEntity, 'company_user_id' | 'service_id'>;

/** A service as its region keeps it. @spec D1-2.4 */
export type ServiceRow = Omit<ServiceEntity, 'transition_due_at' | 'encrypted_private_key'> & {
  encrypted_private_key: EncryptedPrivateKey;
};

/** A service as its owner reads it. */
export const presentService = ({ service_id, created_at, ...row }: ServiceRow): Output<typeof services.readService> => ({
  ...row,
  id: service_id,
  admin_email_confirmed: row.admin_email_confirmed_at !== null,
  created_at: created_at.toISOString(),
});
