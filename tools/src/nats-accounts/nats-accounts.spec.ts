import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUS_MESSAGE_BYTES } from '@codase/contracts';
import { parse } from 'yaml';
import { ROOT } from '../command/root.ts';
import { accountsFile, Consumers, passwordsOf, type BusPlan } from './accounts-file.ts';

const PLAN: BusPlan = {
  regions: ['eu'],
  consumers: [{ user: 'shop-backend', services: ['shop'], groups: ['customers'] }],
  flowServices: ['desk'],
  planes: ['suite'],
};

interface Account {
  jetstream?: string;
  users: { user: string; password: string; permissions?: { publish: object; subscribe: object } }[];
}
const accountsIn = (text: string) => JSON.parse(/^accounts: (.*)\nsystem_account: SYS\n$/s.exec(text)![1]!) as Record<string, Account>;

describe('the NATS accounts file', () => {
  it('has an account for each user, with its password and its permissions', () => {
    const accounts = accountsIn(accountsFile(PLAN, (user) => `password-of-${user}`));

    expect(accounts.decryptor!.users).toEqual([
      expect.objectContaining({
        user: 'decryptor',
        password: 'password-of-decryptor',
        permissions: expect.objectContaining({ publish: { deny: ['>'] } }),
      }),
    ]);
    expect(accounts['feed-consumer']!.jetstream).toBe('enabled');
    expect(accounts['shop-backend']!.users).toHaveLength(1);
    expect(JSON.stringify(accounts['shop-backend'])).not.toContain('account_value');
    expect(accounts.SYS).toEqual({ users: [{ user: 'sys', password: 'password-of-sys', permissions: {} }] });
  });

  it('grants access to account values where the list of consumers says so', () => {
    const consumers = Consumers.parse([{ user: 'login', services: [], account: true }]);
    const { login } = accountsIn(accountsFile({ ...PLAN, consumers }, () => 'x'));

    expect(login!.users[0]!.permissions!.publish).toMatchObject({
      allow: expect.arrayContaining(['codase.decryptor.v1.open_account_values', 'codase.decryptor.v1.unwrap_account_value']),
    });
  });

  it('lets flows ask the gateway and the decryptor for the services whose flows it plays, and for no other', () => {
    const requested = (plan: BusPlan) => {
      const { allow = [] } = accountsIn(accountsFile(plan, () => 'x')).flows!.users[0]!.permissions!.publish as { allow?: string[] };
      return allow.filter((subject) => /^codase\.(gateway|decryptor)\./.test(subject));
    };

    const verbs = ['read_run', 'answer_run', 'call_forwarder'].map((verb) => `codase.gateway.v1.desk.${verb}`);
    const opened = ['open_values', 'public_key', 'unwrap_key'].map((verb) => `codase.decryptor.v1.desk.${verb}`);
    expect(requested(PLAN)).toEqual(expect.arrayContaining([...verbs, ...opened]));
    expect(requested(PLAN).filter((subject) => !subject.includes('.v1.desk.'))).toEqual([]);
    expect(requested({ ...PLAN, flowServices: [] })).toEqual([]);
  });

  it('contains only the users of its own plane, when the planes have separate servers', () => {
    expect(passwordsOf(PLAN)).not.toContain('platform-operator');
    expect(passwordsOf({ ...PLAN, consumers: [], planes: ['platform'] })).toEqual([
      'platform-operator',
      'platform-front-door',
      'platform-region-eu',
      'platform-delivery',
      'platform-forwarder',
      'sys',
    ]);
  });
});

describe('the Helm values of the NATS servers', () => {
  interface Values {
    config: {
      cluster: { replicas: number; tls: { enabled: boolean } };
      nats: { tls: { enabled: boolean; merge: { handshake_first: boolean } } };
      jetstream: { merge: { sync_interval: string } };
      merge: Record<string, string>;
    };
    reloader: { enabled: boolean };
  }
  const { config, reloader } = parse(readFileSync(join(ROOT, 'deploy/nats/values.yaml'), 'utf8')) as Values;

  it('configure three nodes with TLS that sync to disk and reload their users', () => {
    expect(config.cluster).toMatchObject({ replicas: 3, tls: { enabled: true } });
    expect(config.nats.tls).toMatchObject({ enabled: true, merge: { handshake_first: true } });
    expect(config.jetstream.merge.sync_interval).toBe('always');
    expect(reloader.enabled).toBe(true);
  });

  it('allow the longest message', () => {
    expect(config.merge.max_payload).toBe(`<< ${BUS_MESSAGE_BYTES / 1024 ** 2}MB >>`);
  });
});
