import {
  ADMIN_EMAIL_CODE_HOURS,
  STALE_BACKLOG_DAYS,
  WEBHOOK_BACKLOG_DAYS,
  WEBHOOK_DELIVERY,
  WEBHOOK_GRACE_MINUTES,
} from '@codase/contracts';

/** The state of a webhook's backlog. It has no personal data and no secrets: of the webhook's address only the host. */
export interface BacklogFacts {
  host: string;
  enabled: boolean;
  /** Since when the oldest event waits; null when nothing is left. */
  oldest_at: string | null;
  /** How many events were lost since the last mail. */
  lost: number;
}

/** The service that a mail is about. */
interface AboutService {
  service_id: string;
  service_name: string;
  created_at: Date;
}

/** An alert about a webhook. */
export interface Alert extends AboutService {
  kind: 'webhook_backlog';
  webhook_id: string;
  facts: BacklogFacts;
}

/** The mail with the code that confirms an admin e-mail. */
export interface CodeMail extends AboutService {
  kind: 'confirm_admin_email';
  facts: { to: string; code: string };
}

/** The facts of a mail. Its text is written when the mail is sent. */
export type MailContent = Alert | CodeMail;

/** The kinds of mail that this version can write. A mail of a later version is left to a process that knows its kind. */
export const MAIL_KINDS: readonly MailContent['kind'][] = ['webhook_backlog', 'confirm_admin_email'];

interface MailText {
  subject: string;
  text: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the text of a mail: what is wrong with a webhook and how to mend it, or a code, in plain text. @spec D1-6.3 */
export const mailTextOf = (mail: MailContent): MailText =>
  mail.kind === 'confirm_admin_email' ? codeTextOf(mail) : { subject: subjectOf(mail), text: textOf(mail) };

/** Returns the text of a mail with a code. A company must not choose what a stranger reads whose address it names. @gap D1-2.4 */
export const codeTextOf = ({ service_id, facts: { code } }: Pick<CodeMail, 'service_id' | 'facts'>): MailText => ({
  subject: `${code} is your code`,
  text:
    `Somebody named this address as the admin e-mail of the service ${service_id}. If that is right, enter this code where the service ` +
    `is managed:\n\n    ${code}\n\nIt holds for ${ADMIN_EMAIL_CODE_HOURS} hours. If you do not know of it, there is nothing to do: ` +
    'without the code this address gets at most one digest of alerts a day. Give the code to nobody.\n',
});

/** Returns the text of a digest for an address that is not confirmed. A company chooses nothing in it either. @gap D1-2.4 */
export function digestTextOf(alerts: readonly Alert[]): MailText {
  const webhooks = new Set(alerts.map(({ webhook_id }) => webhook_id)).size;
  const paragraphs = [
    `Webhooks do not take their events. What has waited ${WEBHOOK_BACKLOG_DAYS} days is lost.`,
    alerts.map(digestLine).join('\n'),
    'This address is the admin e-mail of these services and was not confirmed, so their alerts come as one digest a day. To get each at ' +
      'once, set the admin e-mail again (PUT /api/services/{id}/admin-email) and enter the code that is mailed then.',
  ];
  return {
    subject: `${webhooks === 1 ? '1 webhook does' : `${webhooks} webhooks do`} not take events`,
    text: `${paragraphs.join('\n\n')}\n`,
  };
}

function digestLine({ service_id, webhook_id, facts: { oldest_at, lost } }: Alert): string {
  const waiting = oldest_at ? [`events wait since ${utc(new Date(oldest_at))}`] : [];
  return `- Service ${service_id}, webhook ${webhook_id}: ${[...waiting, ...(lost > 0 ? [`${events(lost)} lost`] : [])].join(', ')}`;
}

function subjectOf({ service_name, facts: { host, lost } }: Alert): string {
  return oneLine(`${service_name}: ${lost > 0 ? `${events(lost)} lost` : 'events are waiting'} for the webhook to ${host}`);
}

function textOf(mail: Alert): string {
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

/** Returns the paragraph about lost events. They cannot be read any more, but the present state can. @spec D1-8 */
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

const ways = ({ service_id, webhook_id, facts }: Alert) => [
  ...(facts.enabled ? [] : ['The webhook is disabled. Enable it, and what waits is delivered.']),
  `Let the endpoint answer every delivery with status 200, within ${WEBHOOK_DELIVERY.seconds} seconds. It is probed every ` +
    `${WEBHOOK_GRACE_MINUTES} minutes; when it answers, all that waits is delivered in order.`,
  `See what it answers: POST /api/services/${service_id}/webhooks/${webhook_id}/test`,
  `See since when it fails: GET /api/services/${service_id}/logs`,
  'If nobody needs its events, delete the webhook. What waits for it goes with it.',
];

const events = (count: number) => (count === 1 ? '1 event' : `${count} events`);
const utc = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Makes one line of a text. A company chooses the name of its service, and the name must not begin a line of its own. */
// oxlint-disable-next-line no-control-regex -- control characters are what must go
const oneLine = (text: string) => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
