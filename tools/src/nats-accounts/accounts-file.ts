import { internalConsumer, platformUsers, suiteUsers, type BusUser } from '@codase/contracts';
import { natsConfigFile } from '@codase/servers';
import { natsAccounts } from '@codase/stack';
import { z } from 'zod';

/** Internal services of a company: users, services, groups of handlers, and whether they open values sealed to the account key. */
export const Consumers = z.array(
  z.strictObject({
    user: z.string(),
    services: z.array(z.string()),
    groups: z.array(z.string()).default([]),
    account: z.boolean().optional(),
  }),
  'a list of {user, services, groups, account}',
);
export type Consumers = z.infer<typeof Consumers>;

/** The users of one plane, or of both when they share a cluster of servers. */
export interface BusPlan {
  regions: readonly string[];
  consumers: Consumers;
  /** The services whose flows the service `flows` plays. */
  flowServices: readonly string[];
  planes: readonly ('platform' | 'suite')[];
}

/** The server's own account. Its user sees the events of the server, and no messages of other accounts. */
const SYSTEM_ACCOUNT = 'SYS';
const SYSTEM_USER = 'sys';

function usersOf({ regions, consumers, flowServices, planes }: BusPlan): BusUser[] {
  return [
    ...(planes.includes('platform') ? platformUsers(regions) : []),
    ...(planes.includes('suite') ? suiteUsers(flowServices) : []),
    ...consumers.map(({ user, services, groups, account }) => internalConsumer(user, services, groups, { account })),
  ];
}

export const passwordsOf = (plan: BusPlan): string[] => [...usersOf(plan).map(({ user }) => user), SYSTEM_USER];

/** Returns the part of a server's configuration that says who may do what; the server includes it. It contains the passwords. */
export function accountsFile(plan: BusPlan, passwordOf: (user: string) => string): string {
  const accounts = {
    ...natsAccounts(usersOf(plan), passwordOf),
    [SYSTEM_ACCOUNT]: { users: [{ user: SYSTEM_USER, password: passwordOf(SYSTEM_USER) }] },
  };
  const listen = { name: '', host: '', port: 0, store_dir: '', durable: true };
  const whole = JSON.parse(natsConfigFile({ accounts, system_account: SYSTEM_ACCOUNT }, listen)) as { accounts: Record<string, object> };
  delete (whole.accounts[SYSTEM_ACCOUNT] as { jetstream?: string }).jetstream; // a server refuses this setting in the system account
  return `accounts: ${JSON.stringify(whole.accounts, null, 1)}\nsystem_account: ${SYSTEM_ACCOUNT}\n`;
}
