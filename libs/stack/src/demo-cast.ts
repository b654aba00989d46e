import type { Cast } from './cast.ts';
import { demo, ownMakers } from './demo.ts';
import type { Ports } from './layout.ts';
import type { Secrets } from './secrets.ts';

/**
 * Who acts on the stack: the persons, companies and backends of the demo, with the secrets it made. What they act with is loaded with them:
 * to describe the stack takes none of it.
 */
export async function demoCast(ports: Ports, secrets: Secrets): Promise<Cast> {
  const { Cast } = await import('./cast.ts');
  return new Cast(ports, secrets, await demo(secrets), ownMakers);
}
