import { STALE_BACKLOG_DAYS, WEBHOOK_BACKLOG_DAYS, WEBHOOK_DELIVERY, WEBHOOK_GRACE_MINUTES } from '@cds/contracts';

/** How the backlog of a webhook stands. Nothing of a person and no secret: of the address the host alone. */
export interface BacklogFacts {
  host: string;
  enabled: boolean;
  /** Since when the oldest event waits; null when nothing is left. */
  oldest_at: string | null;
  /** How many events were lost since the last mail. */
  lost: number;
}

/** What a mail is made of; its words are chosen when it leaves. */
export interface MailContent {
  kind: MailKind;
  service_id: string;
  service_name: string;
  webhook_id: string;
  facts: BacklogFacts;
  created_at: Date;
}

/** The mails that this version can write. One of a later version is left to a process that knows it. */
export const MAIL_KINDS = ['webhook_backlog'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

export interface MailText {
  subject: string;
  text: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** What is wrong with a webhook and how to mend it, in plain text. @spec D1-6.3 */
export const mailTextOf = (mail: MailContent): MailText => ({ subject: subjectOf(mail), text: textOf(mail) });

function subjectOf({ service_name, facts: { host, lost } }: MailContent): string {
  return oneLine(`${service_name}: ${lost > 0 ? `${events(lost)} lost` : 'events are waiting'} for the webhook to ${host}`);
}

function textOf(mail: MailContent): string {
  const { service_name, webhook_id, facts, created_at } = mail;
  const paragraphs = [
    `The webhook ${webhook_id} of your service "${oneLine(service_name)}" to ${facts.host} does not take its events. This is how it ` +
      `stood at ${utc(created_at)}:`,
    ...lostPart(facts),
    ...waitingPart(facts, created_at),
    `How to mend it\n${ways(mail)
      .map((way) => `- ${way}`)
      .join('\n')}`,
    `This mail goes to the admin e-mail of the service: daily when events have waited ${STALE_BACKLOG_DAYS.daily} days, hourly when they ` +
      `have waited ${STALE_BACKLOG_DAYS.hourly}.`,
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

/** The lost events cannot be had again, but the present state can be read. @spec D1-8 */
const lostPart = ({ lost }: BacklogFacts) =>
  lost > 0
    ? [
        `Lost after waiting ${WEBHOOK_BACKLOG_DAYS} days: ${events(lost)}. To learn how things stand now, read the connections of the ` +
          'service.',
      ]
    : [];

function waitingPart({ oldest_at }: BacklogFacts, at: Date): string[] {
  if (oldest_at === null) return ['Nothing else waits.'];
  const since = new Date(oldest_at);
  const days = Math.floor((at.getTime() - since.getTime()) / DAY_MS);
  return [
    `The oldest event waits since ${utc(since)}, for ${days} days. What has waited ${WEBHOOK_BACKLOG_DAYS} days is lost: the oldest at ` +
      `${utc(new Date(since.getTime() + WEBHOOK_BACKLOG_DAYS * DAY_MS))}.`,
  ];
}

const ways = ({ service_id, webhook_id, facts }: MailContent) => [
  ...(facts.enabled ? [] : ['The webhook is disabled. Enable it, and what waits is delivered.']),
  `Let the endpoint answer every delivery with status 200, within ${WEBHOOK_DELIVERY.seconds} seconds. It is probed every ` +
    `${WEBHOOK_GRACE_MINUTES} minutes; when it answers, all that waits is delivered in order.`,
  `See what it answers: POST /api/services/${service_id}/webhooks/${webhook_id}/test`,
  `See since when it fails: GET /api/services/${service_id}/logs`,
  'If nobody needs its events, delete the webhook. What waits for it goes with it.',
];

const events = (count: number) => (count === 1 ? '1 event' : `${count} events`);
const utc = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** A name is chosen by a company: whatever it holds, it begins no line of its own. */
// oxlint-disable-next-line no-control-regex -- control characters are what must go
const oneLine = (text: string) => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
