import { BANK_ACCOUNT } from './bank-account.ts';
import type { BuiltinPlugin } from './builtin-plugin.ts';
import { PLACES } from './places.ts';

/** The plugins that every company can switch on. */
export const BUILTIN_PLUGINS: readonly BuiltinPlugin[] = [PLACES, BANK_ACCOUNT];
