import { Refusal } from '@codase/contracts';
import type { Clock } from '@codase/runtime/clock';
import type { Note } from '@codase/runtime/service';
import { describeError } from '@codase/runtime/telemetry';

interface ChannelHealth {
  drained_at: Date | null;
  failure: { since: Date; why: string } | null;
}

const UNHEARD: ChannelHealth = { drained_at: null, failure: null };
/** A shorter failure is not reported: it may be a gateway that restarts. */
const LASTING_MS = 30_000;

/** The health of the channels that this replica drains, for readiness and the operator's status. */
export class FeedHealth {
  private readonly channels = new Map<string, ChannelHealth>();

  private readonly unpublished = new Map<string, string>();

  constructor(private readonly clock: Clock) {}

  /** Notes that stored messages of a kind could not be published. Without an error, they were published. */
  publishing(kind: string, error?: unknown): void {
    if (error === undefined) this.unpublished.delete(kind);
    else this.unpublished.set(kind, describeError(error)['error.message'] ?? reasonOf(error));
  }

  drained(service: string): void {
    this.channels.set(service, { drained_at: this.clock.now(), failure: null });
  }

  failed(service: string, error: unknown): void {
    const { drained_at, failure } = this.channels.get(service) ?? UNHEARD;
    this.channels.set(service, { drained_at, failure: { since: failure?.since ?? this.clock.now(), why: reasonOf(error) } });
  }

  /** Forgets the channel: another replica drains it and reports its health. */
  left(service: string): void {
    this.channels.delete(service);
  }

  /** Returns in words which channels have failed to drain for a while, and what cannot be published now. Null when all is well. */
  note(): Note | null {
    const before = this.clock.now().getTime() - LASTING_MS;
    const lasting = [...this.channels].filter(([, { failure }]) => failure && failure.since.getTime() <= before);
    const notes = [
      ...lasting.map(([service, health]) => inWords(service, health)),
      ...[...this.unpublished].map(([kind, why]) => `stored ${kind} cannot be published: ${why}`),
    ];
    return notes.length ? { note: notes.join('; ') } : null;
  }
}

function inWords(service: string, { drained_at, failure }: ChannelHealth): string {
  const last = drained_at ? `last time ${drained_at.toISOString()}` : 'not once since it is here';
  return `${service} is not drained since ${failure!.since.toISOString()} (${failure!.why}), ${last}`;
}

/** Returns the kind of failure, never the content of an answer. */
export const reasonOf = (error: unknown): string => (error instanceof Refusal ? error.key : describeError(error)['error.type']);
