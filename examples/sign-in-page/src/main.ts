// A page of a company on which persons sign in with their account of the Company Data Service.
import { connect } from '@codase/client';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { openClaims, type ClaimTypes } from './claims.ts';
import { Page } from './page.ts';
import { RelyingParty } from './relying-party.ts';

const pageUrl = setting('PAGE_URL');
const types = JSON.parse(setting('CLAIM_TYPES')) as ClaimTypes;

const codase = await connect({
  url: setting('NATS_URL'),
  user: setting('NATS_USER'),
  password: setting('NATS_PASSWORD', ''),
  service: 'sign-in-page', // nothing is asked for a service here: the claims are the company's
});
const relyingParty = await RelyingParty.discover({
  frontDoorUrl: setting('FRONT_DOOR_URL'),
  client_id: setting('CLIENT_ID'),
  client_secret: setting('CLIENT_SECRET'),
  redirect_uri: `${pageUrl}/back`,
});
const page = new Page({
  relyingParty,
  open: (claim_values) => openClaims(codase, types, claim_values),
  isSecure: pageUrl.startsWith('https:'),
});

const server = createServer((request, response) => void page.serve(request, response));
server.listen(Number(setting('PORT', '4050')), setting('HOST', '127.0.0.1'), () => console.log(`serving ${pageUrl}`));

async function leave(): Promise<void> {
  server.close();
  server.closeIdleConnections();
  await codase.close();
  process.exit(0);
}
let leaving: Promise<void> | undefined;
for (const sign of ['SIGTERM', 'SIGINT'] as const) process.once(sign, () => void (leaving ??= leave()));

/** Returns a setting from the environment. A secret may be in a file instead, which the variable NAME_FILE names. */
function setting(name: string, otherwise?: string): string {
  const file = process.env[`${name}_FILE`];
  const value = process.env[name] || (file && readFileSync(file, 'utf8').trim()) || otherwise;
  if (value === undefined) throw new Error(`${name} is not set: give ${name}, or ${name}_FILE with the name of a file that holds it`);
  return value;
}
