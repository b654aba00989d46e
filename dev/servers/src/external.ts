/** Servers that are run by others: they are used as they are, never started or stopped. */
interface ExternalInfra {
  databaseUrl?: string;
  natsUrl?: string;
}

/** Reads DATABASE_URL and NATS_URL; a server whose variable is not set is ours to start. */
export function externalInfra(env: NodeJS.ProcessEnv): ExternalInfra {
  return {
    databaseUrl: urlIn(env, 'DATABASE_URL', ['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/postgres'),
    natsUrl: urlIn(env, 'NATS_URL', ['nats:', 'tls:'], 'nats://user:password@host:4222'),
  };
}

function urlIn(env: NodeJS.ProcessEnv, variable: string, schemes: string[], example: string): string | undefined {
  const value = env[variable];
  if (!value) return undefined;
  if (URL.canParse(value) && schemes.includes(new URL(value).protocol)) return value;
  throw new Error(`${variable} is not a URL of the right kind. Give one such as ${example}, or unset it to let a server be started.`);
}
