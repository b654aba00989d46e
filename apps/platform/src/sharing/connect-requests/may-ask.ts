import { CONNECT_REQUESTS, Refusal } from '@codase/contracts';
import type { ConnectRequestEntity } from './connect-request.entity.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the moment before which requests and rejections are forgotten. */
export const forgottenBefore = (now: Date): Date => new Date(now.getTime() - CONNECT_REQUESTS.days * DAY_MS);

type EarlierRequest = Pick<ConnectRequestEntity, 'asked_at' | 'rejected_at'>;

/** Whether a request still waits for the person. */
export const isOpen = ({ asked_at, rejected_at }: EarlierRequest, now: Date): boolean =>
  rejected_at === null && asked_at > forgottenBefore(now);

/**
 * Refuses when a service may not ask a person now. A person who rejected the service is not asked again for some time. A person has a
 * limited number of open requests: repeating the call does not help there, and the answer says so by having no Retry-After. @gap D1-8
 */
export function checkMayAsk(before: EarlierRequest | undefined, openOfPerson: number, now: Date): void {
  const rejected = before?.rejected_at?.getTime();
  const waitMs = rejected === undefined ? 0 : rejected + CONNECT_REQUESTS.days * DAY_MS - now.getTime();
  if (waitMs > 0) throw new Refusal('company_connections.request_rejected').after(Math.ceil(waitMs / 1000));
  if (openOfPerson >= CONNECT_REQUESTS.open_per_person) throw new Refusal('company_connections.too_many_requests');
}
