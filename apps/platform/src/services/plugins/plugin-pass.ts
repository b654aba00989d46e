import { PLUGIN_PASS_SECONDS } from '@codase/contracts';
import { z } from 'zod';

/** The uses of a pass: questions to plugins, or refreshing the description of one. @spec D2-2.6 @spec D1-4.6 */
const PASS_USES = ['call', 'registry'] as const;
export type PassUse = (typeof PASS_USES)[number];

/** The audience of a pass. No access token has it, so that neither is taken for the other. */
const AUDIENCE = 'plugin-forwarder';
export const PASS_TYPE = 'plugin-pass+jwt';

const Claims = z.object({
  aud: z.literal(AUDIENCE),
  use: z.enum(PASS_USES),
  plugins: z.array(z.string()),
  /** The company of the plugins. Absent in a pass that a region of an earlier release issued. */
  company_user_id: z.string().optional(),
  iat: z.int(),
  exp: z.int(),
});
export type PassClaims = z.infer<typeof Claims>;

export function passClaims(
  { use, plugins, company_user_id }: Required<Pick<PassClaims, 'use' | 'plugins' | 'company_user_id'>>,
  now: Date,
): PassClaims {
  const iat = Math.floor(now.getTime() / 1000);
  return { aud: AUDIENCE, use, plugins, company_user_id, iat, exp: iat + PLUGIN_PASS_SECONDS };
}

/** Returns the claims of a pass that is valid now; undefined for any other token that a base of the platform signed. */
export function readPass(claims: unknown, use: PassUse, now: Date): PassClaims | undefined {
  const read = Claims.safeParse(claims);
  return read.success && read.data.use === use && read.data.exp * 1000 > now.getTime() ? read.data : undefined;
}
