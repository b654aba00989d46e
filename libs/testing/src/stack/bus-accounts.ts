import { BUS_MESSAGE_BYTES, BUS_USERS, internalConsumer, type BusUser } from '@cds/contracts';
import type { NatsConfig } from '../infra/index.ts';
import type { Secrets } from './secrets.ts';

/** The bus as the default stack runs it: an account for each plane, and each service only the rights its contract lists. */
export function busAccounts(secrets: Secrets, consumers: readonly { user: string; services: readonly string[]; groups?: readonly string[] }[]): NatsConfig {
  const users = [...BUS_USERS, ...consumers.map(({ user, services, groups }) => internalConsumer(user, services, groups))];
  const of = (account: BusUser['account']) => ({ jetstream: true, users: users.filter((user) => user.account === account).map((user) => entry(user, secrets)) });
  return { max_payload: BUS_MESSAGE_BYTES, accounts: { platform: of('platform'), suite: of('suite') } };
}

const entry = ({ user, publish, subscribe }: BusUser, secrets: Secrets) => ({
  user,
  password: busPassword(secrets, user),
  publish: [...publish],
  subscribe: [...subscribe],
  allow_responses: true,
});

export const busPassword = (secrets: Secrets, user: string): string => secrets.password(`nats/${user}`);
