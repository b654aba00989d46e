import { accountsOf, BUS_MESSAGE_BYTES, busUsers, internalConsumer, type BusUser } from '@cds/contracts';
import type { NatsConfig } from '@cds/servers';
import { REGIONS } from './layout.ts';
import type { Secrets } from './secrets.ts';

/**
 * The bus as the default stack runs it: each service has only the rights its contract lists, and each internal consumer an account of its
 * own.
 */
export function busAccounts(
  secrets: Secrets,
  consumers: readonly { user: string; services: readonly string[]; groups?: readonly string[] }[],
): NatsConfig {
  const users = [...busUsers(REGIONS), ...consumers.map(({ user, services, groups }) => internalConsumer(user, services, groups))];
  return { max_payload: BUS_MESSAGE_BYTES, accounts: natsAccounts(users, (user) => busPassword(secrets, user)) };
}

/** These users in the accounts they belong to, as a server is configured. */
export function natsAccounts(users: readonly BusUser[], passwordOf: (user: string) => string): NatsConfig['accounts'] {
  const accounts = Object.entries(accountsOf(users)).map(([name, account]) => {
    const entries = account.users.map(({ user, publish, subscribe }) => ({
      user,
      password: passwordOf(user),
      publish: [...publish],
      subscribe: [...subscribe],
      allow_responses: account.exports !== undefined, // an internal consumer answers nothing
    }));
    return [name, { ...account, users: entries }] as const;
  });
  return Object.fromEntries(accounts);
}

export const busPassword = (secrets: Secrets, user: string): string => secrets.password(`nats/${user}`);
