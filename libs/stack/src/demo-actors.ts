import type { StackActors } from './stack-actors.ts';
import { demo, newCredentials } from './demo.ts';
import type { Ports } from './layout.ts';
import type { Secrets } from './secrets.ts';

/**
 * Who acts on the stack: the persons, companies and backends of the demo, with the secrets it made. What they act with is loaded with them:
 * to describe the stack takes none of it.
 */
export async function demoActors(ports: Ports, secrets: Secrets): Promise<StackActors> {
  const { StackActors } = await import('./stack-actors.ts');
  return new StackActors(ports, secrets, await demo(secrets), newCredentials);
}
