import type { CodaseClient } from '@codase/client';
import type { Sealed } from '@codase/contracts';

/** The types of the app's claims, by their slugs, as the app was created. */
export type ClaimTypes = Readonly<Record<string, string>>;

/** Returns the claims that open and fit their types. Nobody has checked a sealed value before. */
export async function openClaims(
  codase: Pick<CodaseClient, 'openForAccount'>,
  types: ClaimTypes,
  claim_values: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  const slugs = Object.keys(types).filter((slug) => Object.hasOwn(claim_values, slug));
  const opened = await codase.openForAccount(slugs.map((slug) => ({ value: claim_values[slug] as Sealed, field_type: types[slug]! })));
  return Object.fromEntries(opened.flatMap((item, nth) => ('error_key' in item || item.misfit ? [] : [[slugs[nth]!, item.value]])));
}
