import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, readArguments, UsageFault } from '@codase/command-line';
import { accountsFile, Consumers, passwordsOf, type BusPlan } from './accounts-file.ts';

const HELP = `npm run -s nats-accounts -- --passwords DIR [options] > accounts.conf   accounts and permissions for a nats-server

  --passwords DIR     a file for each user of the bus, named like the user, with its password
  --plane NAME        suite or platform; both when absent
  --regions LIST      regions of the platform; eu,us when absent
  --consumers FILE    internal services of the company: [{"user": "shop-backend", "services": ["shop"], "groups": ["customers"]}];
                      with "account": true also for values that are sealed to the account key, such as claims of a sign-in
  --flows LIST        services whose flows the service flows plays: shop,desk. It asks the gateway and the decryptor for these; none
                      when absent
  --users             print the names of the users that need a password, and nothing else

The file is a secret. A server that includes it takes a new one up on SIGHUP, and nobody is disconnected.`;

const OPTIONS = {
  passwords: { type: 'string' },
  plane: { type: 'string' },
  regions: { type: 'string' },
  consumers: { type: 'string' },
  flows: { type: 'string' },
  users: { type: 'boolean' },
} as const;

await command(HELP, async (args) => {
  const { values } = readArguments(args, OPTIONS);
  const plan: BusPlan = {
    regions: (values.regions ?? 'eu,us').split(','),
    consumers: values.consumers ? Consumers.parse(JSON.parse(readFileSync(values.consumers, 'utf8'))) : [],
    flowServices: values.flows === undefined ? [] : values.flows.split(','),
    planes: values.plane === undefined ? ['platform', 'suite'] : [planeOf(values.plane)],
  };
  if (values.users) console.log(passwordsOf(plan).join('\n'));
  else process.stdout.write(accountsFile(plan, passwordsIn(values.passwords)));
  return 0;
});

function planeOf(name: string): 'platform' | 'suite' {
  if (name !== 'platform' && name !== 'suite') throw new UsageFault(`--plane is '${name}': give platform or suite.`);
  return name;
}

function passwordsIn(folder: string | undefined): (user: string) => string {
  if (folder === undefined) throw new UsageFault('Where are the passwords? Give --passwords DIR.');
  return (user) => {
    const file = join(folder, user);
    if (!existsSync(file)) throw new UsageFault(`There is no password for ${user}: write one to ${file}.`);
    return readFileSync(file, 'utf8').trim();
  };
}
