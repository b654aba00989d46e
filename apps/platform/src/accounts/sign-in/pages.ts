import { identity, TRUSTED_BROWSER_DAYS, WAITING_SIGN_INS, type Capability, type Page, type Refusal } from '@codase/contracts';
import {
  includesApprovals,
  isFirstParty,
  redirectWith,
  shownBy,
  type AuthorizationQuery,
  type AskingClient,
  type AuthorizationRequest,
  type FaultOfClient,
  type WayBack,
} from './authorization-request.ts';
import type { AppRequest, Led } from '../sign-in-apps/index.ts';
import { html, type Markup } from '../../kit/pages/html.ts';
import { pageOf, problemBox } from '../../kit/pages/page-frame.ts';

/** What the form shows again after a failed attempt: never the password. */
interface Try {
  email?: string;
  problem?: string;
}

/** Returns the page that asks a user to sign in and, for the client of a company, to allow its access. */
export function signInPage(request: AuthorizationRequest, query: AuthorizationQuery, { email = '', problem }: Try = {}): Page {
  const { title, yes, no } = wording(request);
  const page = pageOf(
    problem === undefined ? title : `Error: ${title}`,
    html`<h1>${title}</h1>
      ${problem === undefined ? undefined : problemBox('This did not work', problem)} ${consent(request)} ${levelNote(request)}
      <form method="post" action="${identity.authorize.path}">
        ${hidden({ ...query, shown: shownBy(request) })}
        <label for="email">E-mail address</label>
        <input id="email" name="email" type="email" autocomplete="username" required autofocus value="${email}" />
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required />
        <button class="yes" name="decision" value="allow">${yes}</button>
        <button class="no" name="decision" value="deny" formnovalidate>${no}</button>
      </form>
      ${returnNote(request)}`,
  );
  return { html: page, form_leads_to: formLeadsTo(request) };
}

/** Returns the page for a client that asks who is signed in, when nobody has signed in to it with this browser. @gap D1-4.6 */
export function notSignedInPage({ client, redirect_uri }: WayBack, location: string): string {
  const title = `You are not signed in to ${client.name}`;
  return pageOf(
    title,
    html`<h1>${title}</h1>
      <p>
        <strong>${client.name}</strong>${client.app ? html` is ${ownerOf(client.app)}, and` : undefined} asked whether you are signed in. It
        learns nothing about you if you go back, and this service does not vouch for what is there.
      </p>
      <p><a href="${location}">Go back to ${destinationOf(redirect_uri)}</a></p>`,
  );
}

/** Returns the page of a request that its client got wrong, with the way back: the client learns what was wrong. @gap D1-4.6 */
export function faultPage({ key, message, back: { client, redirect_uri } }: FaultOfClient, location: string): string {
  const title = `${client.name} made a mistake`;
  return pageOf(
    `Error: ${title}`,
    html`<h1>${title}</h1>
      <p>
        <strong>${client.name}</strong>${client.app ? html` is ${ownerOf(client.app)}. It` : undefined} sent you here with a request that
        cannot be answered. You can do nothing about it here.
      </p>
      ${problemBox('What is wrong', message)}
      <p><a href="${location}">Go back to ${destinationOf(redirect_uri)}</a>, and tell them: <code>${key}</code></p>`,
  );
}

/** Returns the page that asks for a code after the password. It has a secret in place of the password. @gap D1-5.8 */
export function codePage(request: AuthorizationRequest, query: AuthorizationQuery, step: string, problem?: string): Page {
  const { yes, no } = wording(request);
  const title = 'Enter your code';
  const choice = `Do not ask in this browser again for ${TRUSTED_BROWSER_DAYS} days`;
  const page = pageOf(
    problem === undefined ? title : `Error: ${title}`,
    html`<h1>${title}</h1>
      ${problem === undefined ? undefined : problemBox('This did not work', problem)} ${consent(request)}
      <form method="post" action="${identity.authorize.path}">
        ${hidden({ ...query, step, shown: shownBy(request) })}
        <label for="code">Code of your authenticator, or a backup code</label>
        <input id="code" name="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" required autofocus />
        <label class="choice"><input type="checkbox" name="trust_browser" value="yes" /> ${choice}</label>
        <button class="yes" name="decision" value="allow">${yes}</button>
        <button class="no" name="decision" value="deny" formnovalidate>${no}</button>
      </form>
      ${returnNote(request)}`,
  );
  return { html: page, form_leads_to: formLeadsTo(request) };
}

const formLeadsTo = (request: AuthorizationRequest): string[] => (request.goal === 'detached' ? [] : [sourceOf(request.redirect_uri)]);

/**
 * Returns an address as a content security policy names it: its origin, or else its scheme alone. A host with other characters than those
 * of a name could end the directive, or stand for many hosts.
 */
function sourceOf(address: string): string {
  const { origin, protocol } = new URL(address);
  return /^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(origin) ? origin : protocol;
}

/** Returns the page of a refusal that the user cannot correct here. */
export const refusalPage = ({ message, key }: Refusal): string =>
  pageOf(
    'Error: this request was refused',
    html`<h1>This request was refused</h1>
      ${problemBox('What is wrong', message)}
      <p>Go back to where you came from and try again. If it happens again, tell them: <code>${key}</code></p>`,
  );

/** Returns the page of a sign-in that waits for the phone. It loads itself again until the person has answered. @gap D1-4.6 */
export function waitingPage({ status, digits, redirect_uri, app_name }: Led, sign_in: string): Page {
  const isWaiting = status === 'waiting';
  const { title, text } = standing(status, app_name);
  const compare = html`<p>Your phone shows <strong>${digits}</strong>. With other digits, somebody else has begun: refuse it there.</p>`;
  const page = pageOf(
    title,
    html`<h1>${title}</h1>
      <p role="status">${text}</p>
      ${isWaiting ? compare : undefined}
      <form method="post" action="${redirectWith(identity.continueSignIn.path, { sign_in })}">
        <button class="yes">Continue</button>
      </form>`,
    isWaiting ? WAITING_RELOADS_SECONDS : undefined,
  );
  return { html: page, form_leads_to: [sourceOf(redirect_uri)] };
}

function standing(status: Led['status'], app_name: string): { title: string; text: string } {
  if (status === 'waiting') {
    const text = `Open the app on your phone, and give ${app_name} what it asks for, or refuse. This page notices it.`;
    return { title: 'Answer on your phone', text };
  }
  if (status === 'pushed_out') {
    const text =
      `${WAITING_SIGN_INS} newer sign-ins wait for your phone, so this one waits no more. ${app_name} got nothing. ` +
      'Refuse on your phone those that you did not begin. Then go on, and sign in there again.';
    return { title: 'Newer sign-ins took the place of this one', text };
  }
  return { title: 'You have answered on your phone', text: `Go on to ${app_name}.` };
}

/** Returns the waiting page for a moment when its sign-in cannot be looked up. Its address is the one that it loads again. */
export function busyWaitingPage(): Page {
  const title = 'Answer on your phone';
  const text = 'There are many requests at the moment. Your sign-in still waits: this page looks again in some seconds.';
  const body = html`<h1>${title}</h1>
    <p role="status">${text}</p>`;
  return { html: pageOf(title, body, 2 * WAITING_RELOADS_SECONDS) };
}

/** How often the waiting page loads itself again: `sign_in_wait` has room for several dozen people behind one address. */
const WAITING_RELOADS_SECONDS = 5;

/** Returns the last page of an enrolment that has no address to send the browser to. */
export function donePage(outcome: 'enrolled' | 'denied'): string {
  const title = outcome === 'enrolled' ? 'Approvals are set up' : 'Nothing was set up';
  return pageOf(
    title,
    html`<h1>${title}</h1>
      <p>You can close this page.</p>`,
  );
}

function wording({ goal, client }: AuthorizationRequest): { title: string; yes: string; no: string } {
  if (goal !== 'code') return { title: `Approve sign-ins to ${client.name}`, yes: 'Allow', no: 'Deny' };
  if (client.app) return { title: `Sign in to ${client.name}`, yes: 'Allow', no: 'Deny' };
  if (isFirstParty(client)) return { title: 'Sign in', yes: 'Sign in', no: 'Cancel' };
  return { title: `Sign in and give ${client.name} access`, yes: 'Allow', no: 'Deny' };
}

function consent({ goal, client }: AuthorizationRequest): Markup | undefined {
  if (goal === 'code' && isFirstParty(client)) return undefined;
  if (goal === 'code' && client.app) return consentToApp(client.name, client.app);
  const allowed =
    goal === 'code' ? rightsOf(client) : ['Ask you, on your phone, to approve a sign-in to its own pages. You can end this at any time.'];
  return html`<p>If you allow it, <strong>${client.name}</strong> can:</p>
    <ul>
      ${allowed.map((right) => html`<li>${right}</li>`)}
    </ul>`;
}

const ownerOf = ({ company_code }: AppRequest): string =>
  `an app of ${company_code === null ? 'a company' : `the company ${company_code}`}`;

/** Says whose app it is, what the company learns, and who else can read it. @spec D1-4.6 */
function consentToApp(name: string, app: AppRequest): Markup {
  const { claims, claims_delivery } = app;
  const reading =
    claims_delivery === 'encrypted'
      ? 'Your phone asks you for these values next. Only the company can read them.'
      : 'Your phone asks you for these values next. The company gets them through this service without its own encryption.';
  return html`<p><strong>${name}</strong> is ${ownerOf(app)}. If you allow it, the company learns:</p>
    <ul>
      <li>That you signed in, and an id of yours that no other company gets</li>
      ${claims.map(({ label, type, required }) => html`<li>${label} (${type}${required ? '' : ', if you want to'})</li>`)}
    </ul>
    ${claims.length > 0 ? html`<p>${reading}</p>` : undefined}`;
}

/** Returns what a client may do, in plain words. @spec D1-5.7 @spec D1-5.8 */
const rightsOf = ({ kind, capabilities }: AskingClient): string[] =>
  kind === 'account' ? [BASELINE, ...capabilities.map((group) => GROUPS[group])] : SERVICE;

const SERVICE = [
  'Read what connected persons share with its service, and send them messages and documents',
  'Ask persons who agreed to it to approve sign-ins',
];
const BASELINE = 'Read the account of the company and change its display name';
const GROUPS: Record<Capability, string> = {
  service_management: "Create, change and delete the company's services, with their webhooks, clients and keys",
  company_profile_fields: "Read and change the company's business card, fields and photos",
  customer_connections: 'Be a customer of other companies in the name of the company',
  oauth_apps: "Manage the company's sign-in apps and their secrets",
  delegate_management: 'Manage delegates and hand them the keys of services',
};

/** Says before anybody types a password that the company's level lets no new person approve its logins. @spec D1-4.5 */
function levelNote({ goal, client }: AuthorizationRequest): Markup | undefined {
  if (goal === 'code' || includesApprovals(client.level!)) return undefined;
  const text =
    `The level of the company behind ${client.name} does not include approvals for new people. Tell the company. ` +
    'If you approve its sign-ins already, nothing changes for you.';
  return problemBox('You cannot set this up now', text);
}

/** Returns a note that says where the browser goes next, so that the user notices a stranger's address. */
function returnNote(request: AuthorizationRequest): Markup | undefined {
  if (request.goal === 'detached' || isFirstParty(request.client)) return undefined;
  return html`<p><small>Afterwards you are sent back to ${destinationOf(request.redirect_uri)}</small></p>`;
}

/** Returns where an address leads, as a person reads it: its host, or the scheme of an app. */
function destinationOf(address: string): string {
  const { host, protocol } = new URL(address);
  return host || protocol;
}

const hidden = (query: AuthorizationQuery & { step?: string; shown?: string | undefined }): Markup[] =>
  Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}" /> `],
  );
