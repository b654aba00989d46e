import type { RowStep } from '../row-steps.ts';

/** The steps of a login that a person answers, in order. Each can be seen from outside (`step-watcher.ts`). */
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

const OF_TWOFA = { table: 'challenge', columns: ['platform_key'] } as const;
const OF_REGION = { table: 'challenge', columns: ['person_user_id', 'challenge_id'] } as const;

/** The steps that rows show, by database, and the columns of the login. The company's home is eu; cards of `us` are handed over. */
export const ROW_STEPS = {
  twofa: {
    'request noted': { ...OF_TWOFA, on: 'insert' },
    'raise noted': { ...OF_TWOFA, on: 'update', when: `old.state = 'requested' and new.state = 'pending'` },
    'outcome recorded': { ...OF_TWOFA, on: 'update', when: 'old.completed_at is null and new.completed_at is not null' },
    'publication noted': { ...OF_TWOFA, on: 'update', when: 'new.published and not old.published' },
  },
  region_eu: {
    raised: { ...OF_REGION, on: 'insert' },
    'answer recorded': { ...OF_REGION, on: 'update', when: `old.status = 'pending' and new.status in ('approved', 'denied')` },
    'outcome consumed': { ...OF_REGION, on: 'update', when: 'old.consumed_at is null and new.consumed_at is not null' },
  },
  region_us: {
    'card handed over': {
      table: 'app_event',
      on: 'insert',
      when: `new.kind = 'challenge_raised'`,
      columns: ['person_user_id', 'challenge_id', 'object_id'],
    },
  },
} satisfies Record<string, Partial<Record<Step, RowStep>>>;
