import { fileURLToPath } from 'node:url';

/** The repository's root folder; the same from src and from dist. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url)).replace(/[\\/]$/, '');
