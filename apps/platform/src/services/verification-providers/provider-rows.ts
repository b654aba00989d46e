import { VerificationProvider } from '@codase/contracts';
import { z } from 'zod';

/**
 * A registered provider as regions know it. What was revoked stays in the row, so that a verification ends because an operator said so, and
 * never because a region has lost a row.
 */
export const ProviderRow = VerificationProvider.extend({
  /** The kids of keys that came into wrong hands. */
  revoked: z.array(z.string()),
  removed: z.boolean(),
});
export type ProviderRow = z.infer<typeof ProviderRow>;

/** The projection of the providers, which the regions follow: they check attestations, and ask nobody. */
export const PROVIDERS = { bucket: 'verification_providers', shape: ProviderRow };
export const PROVIDER_ROWS = Symbol('verification providers');
