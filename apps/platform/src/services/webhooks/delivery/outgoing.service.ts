import { WEBHOOK_DELIVERY, WEBHOOK_ID_HEADER, type FeedEvent } from '@codase/contracts';
import { importAccountPublicKey, sealAccountEnvelope } from '@codase/crypto';
import { signalOfAnswer } from '@codase/domain';
import type { Clock } from '@codase/runtime/clock';
import { JSON_FORMAT, TargetRefused, XML_FORMAT, type Outbound } from '@codase/runtime/http';
import { carryTrace, inSpan, SpanKind, timed, traceOf } from '@codase/runtime/telemetry';
import type { StoredSecrets } from '../../../kit/secrets/stored-secrets.ts';
import type { Secrets } from '../secrets.ts';
import type { WebhookSigningKey } from '../../../kit/secrets/webhook-signing-keys.ts';
import { authHeaders } from './auth-headers.ts';
import type { DeliveryResult, WebhookTarget } from './pending-delivery.ts';
import { standardHeaders } from './standard-headers.ts';
import { METRICS } from '../metrics.ts';

/** How long a delivery may take from begin to end. */
export const DEADLINE_MS = WEBHOOK_DELIVERY.seconds * 1000;

/** A request that is ready to be sent. */
export interface Ready {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

interface Written {
  type: string;
  body: Uint8Array;
}

/** Sends one event to one endpoint and returns what came back. Only 200 is success. @spec D1-6.3 */
export class Outgoing {
  constructor(
    private readonly outbound: Outbound,
    private readonly stored: StoredSecrets,
    private readonly clock: Clock,
    /** The keys of the region, which sign the deliveries of webhooks that ask for it. */
    private readonly signing: { readonly current: readonly WebhookSigningKey[] },
  ) {}

  /** How many keys sign: more than one while they are rotated. */
  get signingKeys(): number {
    return this.signing.current.length;
  }

  /**
   * Builds the request, apart from `send`: the caller checks its lease in between. Throws only errors of the platform itself. `event_id` is
   * the id in the queue: unlike the id in the body it is the same in each attempt.
   */
  async prepare(webhook: WebhookTarget, event: FeedEvent, event_id: string): Promise<Ready> {
    const { type, body } = await write(webhook, event);
    const hasSecrets = webhook.auth_type !== 'none' || webhook.standard_webhooks;
    const secrets: Secrets = hasSecrets ? this.stored.open(webhook.sealed_secrets, webhook.webhook_id) : {};
    // Header names are lower case, so that a header of the company's choosing cannot stand beside one of the platform's.
    const own = { 'content-type': type, [WEBHOOK_ID_HEADER.toLowerCase()]: webhook.webhook_id, 'user-agent': 'company-data-service' };
    const now = this.clock.now();
    const auth = await authHeaders(webhook.auth_type, secrets, body, now);
    const { webhook_id } = webhook;
    const keys = this.signing.current;
    const standard = webhook.standard_webhooks ? await standardHeaders({ webhook_id, event_id, body, secrets, keys }, now) : {};
    return { url: webhook.url, headers: { ...lowerCased(auth), ...own, ...standard }, body };
  }

  /** Sends the POST at once. */
  send(ready: Ready, traceparent: string | null): Promise<DeliveryResult> {
    const parent = traceOf({ get: (name) => (name === 'traceparent' ? (traceparent ?? undefined) : undefined), set: () => undefined });
    return inSpan('deliver webhook', { kind: SpanKind.CLIENT, parent }, (span) =>
      this.post(ready).then((result) => {
        if (result.status !== null) span.setAttribute('http.response.status_code', result.status);
        return result;
      }),
    );
  }

  private async post({ url, headers, body }: Ready): Promise<DeliveryResult> {
    carryTrace({ get: (name) => headers[name], set: (name, value) => void (headers[name] = value) });
    const startedAt = performance.now();
    try {
      const { status } = await this.outbound.send(url, {
        method: 'POST',
        headers,
        body,
        deadlineMs: DEADLINE_MS,
        answerBytes: WEBHOOK_DELIVERY.answer_bytes,
      });
      timed(METRICS.webhookDelivery, startedAt, { 'http.response.status_code': status });
      return signalOfAnswer(status) === 'delivered'
        ? { delivered: true, status, reason: null }
        : { delivered: false, status, reason: `it answered ${status}, and only 200 counts` };
    } catch (error) {
      timed(METRICS.webhookDelivery, startedAt, { 'error.type': (error as Error).name });
      return { delivered: false, status: null, reason: reasonOf(error) };
    }
  }
}

/** Writes the body in the webhook's format, sealed in the account-key envelope when the webhook asks for one. @spec D1-2.9 @spec D1-2.3 */
async function write({ format, encrypt_payload, account_public_key }: WebhookTarget, event: FeedEvent): Promise<Written> {
  const wire = format === 'xml' ? XML_FORMAT : JSON_FORMAT;
  const text = wire.write(event);
  if (!encrypt_payload) return { type: wire.type, body: Buffer.from(text) };
  return { type: JSON_FORMAT.type, body: Buffer.from(await sealAccountEnvelope(await importAccountPublicKey(account_public_key), text)) };
}

const lowerCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Returns the reason in words that say nothing about the platform's own network. */
function reasonOf(error: unknown): string {
  if (error instanceof TargetRefused) return error.message;
  if ((error as Error).name === 'TimeoutError') return `it did not answer within ${WEBHOOK_DELIVERY.seconds} seconds`;
  return 'it could not be reached, or broke off';
}
