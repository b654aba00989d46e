import type { StackActors } from './stack-actors.ts';
import { demo, newCredentials } from './demo.ts';
import type { Ports } from './layout.ts';
import type { Secrets } from './secrets.ts';

/** Returns the persons, companies and backends of the demo. Their code is imported here only: describing the stack does not need it. */
export async function demoActors(ports: Ports, secrets: Secrets): Promise<StackActors> {
  const { StackActors } = await import('./stack-actors.ts');
  return new StackActors(ports, secrets, await demo(secrets), newCredentials);
}
