/** The steps in the life of a login that a person answers, in their order. Each can be seen from outside (`step-watcher.ts`). */
export const STEPS = [
  'asked',
  'request noted',
  'raise sent',
  'raised',
  'raise answered',
  'raise noted',
  'digits shown',
  'card handed over',
  'card shown',
  'tapped',
  'answer recorded',
  'event published',
  'poll sent',
  'outcome consumed',
  'outcome answered',
  'outcome recorded',
  'outcome published',
  'publication noted',
  'asker answered',
] as const;
export type Step = (typeof STEPS)[number];

/** Notified by a trigger that the soak itself adds to a table: what the step is, and the column that says whose it is. */
export interface RowStep {
  database: 'twofa' | 'region_eu' | 'region_us';
  table: string;
  on: 'insert' | 'update';
  when?: string;
  owner: 'platform_key' | 'person_user_id';
}

/** The company lives in eu. Its persons do so too, or in us: only their cards are handed over. */
export const ROW_STEPS: Partial<Record<Step, RowStep>> = {
  'request noted': { database: 'twofa', table: 'challenge', on: 'insert', owner: 'platform_key' },
  'raise noted': {
    database: 'twofa',
    table: 'challenge',
    on: 'update',
    when: `old.state = 'requested' and new.state = 'pending'`,
    owner: 'platform_key',
  },
  'outcome recorded': {
    database: 'twofa',
    table: 'challenge',
    on: 'update',
    when: 'old.completed_at is null and new.completed_at is not null',
    owner: 'platform_key',
  },
  'publication noted': {
    database: 'twofa',
    table: 'challenge',
    on: 'update',
    when: 'new.published and not old.published',
    owner: 'platform_key',
  },
  raised: { database: 'region_eu', table: 'challenge', on: 'insert', owner: 'person_user_id' },
  'card handed over': {
    database: 'region_us',
    table: 'app_event',
    on: 'insert',
    when: `new.kind = 'challenge_raised'`,
    owner: 'person_user_id',
  },
  'answer recorded': {
    database: 'region_eu',
    table: 'challenge',
    on: 'update',
    when: `old.status = 'pending' and new.status in ('approved', 'denied')`,
    owner: 'person_user_id',
  },
  'outcome consumed': {
    database: 'region_eu',
    table: 'challenge',
    on: 'update',
    when: 'old.consumed_at is null and new.consumed_at is not null',
    owner: 'person_user_id',
  },
};
