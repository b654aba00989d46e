import { accountsOf, BUS_MESSAGE_BYTES, busUsers, internalConsumer, type BusUser } from '@codase/contracts';
import type { NatsConfig } from '@codase/servers';
import { DEMO } from './demo.ts';
import { REGIONS } from './layout.ts';
import type { Secrets } from './secrets.ts';

/** Returns the bus configuration: each service has the rights of its contract alone, and each internal consumer its own account. */
export function busAccounts(
  secrets: Secrets,
  consumers: readonly { user: string; services: readonly string[]; groups?: readonly string[]; account?: boolean }[],
): NatsConfig {
  return { max_payload: BUS_MESSAGE_BYTES, accounts: configured(accountsWith(consumers), (user) => busPassword(secrets, user)) };
}

type Consumers = Parameters<typeof busAccounts>[1];
const known = new Map<string, Accounts>();

/** Computes the accounts once for each set of consumers, because a process may start many stacks, as tests do. */
function accountsWith(consumers: Consumers): Accounts {
  const key = JSON.stringify(consumers);
  const users = () => [
    ...busUsers(REGIONS, [DEMO.service]),
    ...consumers.map(({ user, services, groups, account }) => internalConsumer(user, services, groups, { account })),
  ];
  const accounts = known.get(key) ?? accountsOf(users());
  known.set(key, accounts);
  return accounts;
}

/** Returns the accounts of these users in the form of the server's configuration. */
export const natsAccounts = (users: readonly BusUser[], passwordOf: (user: string) => string): NatsConfig['accounts'] =>
  configured(accountsOf(users), passwordOf);

type Accounts = ReturnType<typeof accountsOf>;

function configured(all: Accounts, passwordOf: (user: string) => string): NatsConfig['accounts'] {
  const accounts = Object.entries(all).map(([name, account]) => {
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
