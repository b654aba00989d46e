import type { Inbox } from '@codase/client';

/** An inbox that lasts as long as its process: enough for a test in which no consumer is killed. */
export function inMemoryInbox(): Inbox<undefined> {
  const noted = new Set<string>();
  return {
    async once({ message_id }, work) {
      if (noted.has(message_id)) return false;
      await work(undefined);
      noted.add(message_id);
      return true;
    },
  };
}
