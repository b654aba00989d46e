import { createHash, createPublicKey, timingSafeEqual } from 'node:crypto';
import { open, seal } from './wrapper.mjs';

/** The size limit of a request, far more than a question needs. */
const MAX_BYTES = 512 * 1024;

/**
 * Answers what the platform asks of a plugin: `GET /description` and `POST /call`.
 *
 * The plugin has a `name`, its `field_types`, and `answer(question)`. A question is `{field_type, op, block, query, picks, values,
 * inputs}`: `op` is `options` (what a search_select block offers) or `outputs` (what follows from all that was picked and typed);
 * `picks` has the id of each pick and `values` what was typed, by block. The answer is one of `{options: [{id, label}], more}`,
 * `{outputs: {…}}`, `{picks_invalid: true}` when picks do not fit the inputs or each other any more, and `{question_invalid: true}`.
 *
 * The settings are `privateKey`, an RSA-2048 key whose public half the description shows, and `token`, which the platform shows as its
 * bearer token.
 */
export const answerRequests = (plugin, settings) => (request, response) => {
  answerOne(plugin, settings, request, response).catch(() => {
    // The error is not sent, because it could reveal the question or the reason of the failure.
    if (!response.headersSent) send(response, 500, { error: 'failed' });
  });
};

async function answerOne(plugin, settings, request, response) {
  if (!hasToken(request, settings.token)) return send(response, 401, { error: 'unauthorized' });
  const route = `${request.method} ${request.url}`;
  if (route === 'GET /description') return send(response, 200, describe(plugin, settings));
  if (route !== 'POST /call') return send(response, 404, { error: 'not_found' });
  const sealed = await readRequest(request);
  if (sealed === undefined) return send(response, 400, { error: 'no_request' });
  const opened = open(settings.privateKey, sealed);
  // The question was sealed to another key. The platform fetches the description again, and gives the caller the new key.
  if (opened === undefined) return send(response, 409, { error: 'key_changed' });
  const { reply_key, ...question } = JSON.parse(opened);
  const reply = await plugin.answer(question);
  send(response, 200, { reply: seal(reply_key, JSON.stringify(reply)) });
}

const describe = ({ name, field_types }, { privateKey }) => ({
  name,
  public_key: createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64'),
  field_types,
});

/** Whether the request has the bearer token, compared in constant time. */
function hasToken({ headers }, token) {
  const digest = (text) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`));
}

/** Reads the sealed question. Returns undefined when the body has none or is too long. */
async function readRequest(message) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of message) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    const { request } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return typeof request === 'string' ? request : undefined;
  } catch {
    return undefined;
  }
}

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(JSON.stringify(body));
}
