import { setTimeout as pause } from 'node:timers/promises';
import { account, services, webhooks } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { WorldFixture, type Company, type World } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { PlatformInternals, until } from './platform-internals.ts';

const [, , KEY] = SERVICE_KEYS;

/** Two regions, and companies that move between them. */
export class MovingWorld extends WorldFixture {
  internals!: PlatformInternals;
  operator!: Bus;

  protected override async enter(world: World): Promise<void> {
    this.world = world;
    [this.internals, this.operator] = await Promise.all([PlatformInternals.open(world), world.operator('platform')]);
    this.db = this.internals.database('region_eu');
  }

  /** A company that lives in `eu`. */
  newCompany(): Promise<Company> {
    return this.world.signsUp({ type: 'company', region: 'eu' });
  }

  creates(company: Company, name: string, at: { at?: string } = {}) {
    const {
      public_key,
      encrypted_private_key: { salt, iv, data },
    } = KEY;
    const body = { name, admin_email: 'club@acme.example', public_key, encrypted_private_key: { iter: 100_000 as const, salt, iv, data } };
    return company.asks(services.createService, { body }, at);
  }

  /** The company's first service gets a webhook. */
  async hook(company: Company): Promise<void> {
    const { items } = await company.asks(services.listServices, { query: {} });
    await company.asks(webhooks.createWebhook, { params: { id: items[0]!.id }, body: { url: 'https://acme.example/hook' } });
  }

  async servicesOf(company: Company): Promise<string[]> {
    const { items } = await company.asks(services.listServices, { query: { limit: 200 } });
    return items.map(({ name }) => name).toSorted();
  }

  moves(company: Company, region: string) {
    return company.asks(account.migrateRegion, { body: { password: company.password, region } });
  }

  /** Waits until the condition holds, and lets time pass meanwhile, so that an attempt that waits for its time is made. */
  comesAbout(isSo: () => Promise<boolean>, what: string): Promise<void> {
    return until(async () => {
      if (await isSo()) return true;
      await pause(100);
      await this.world.passes({ seconds: 1 });
      return false;
    }, what);
  }

  arrives({ user_id }: Company): Promise<void> {
    return this.comesAbout(async () => (await this.internals.stepOf(user_id)) === undefined, 'the move is over');
  }
}
