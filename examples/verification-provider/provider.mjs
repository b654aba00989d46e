// A verification provider with nothing but Node. Without words it says what it takes.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const USAGE = `node provider.mjs register ID KEY_FILE                              the JSON that an operator registers; makes the key
node provider.mjs attest ID KEY_FILE API_URL VERIFICATION_ID VALUE [DAYS]  attest the value that the person has shown
node provider.mjs revoke ID KEY_FILE API_URL VERIFICATION_ID               revoke what was attested`;
const [command, id, keyFile, apiUrl, verificationId, value, days = '300'] = process.argv.slice(2);
const DAY_MS = 86_400_000;

const privateKey = () => createPrivateKey(readFileSync(keyFile));
const digest = (...parts) => createHash('sha256').update(parts.join('')).digest('hex');
const part = (json) => Buffer.from(JSON.stringify(json)).toString('base64url');

/** Signs claims as a JWS with EdDSA. The platform knows the key by its `kid`. */
function jws(typ, claims) {
  const text = `${part({ alg: 'EdDSA', typ, kid: 'first' })}.${part({ iss: id, iat: Math.floor(Date.now() / 1000), ...claims })}`;
  return `${text}.${sign(null, Buffer.from(text), privateKey()).toString('base64url')}`;
}

/** Proves to this base, for a minute, that this provider asks for this. */
const proof = (act) => jws('codase-verification+jwt', { aud: apiUrl, act, on: verificationId });

async function post(path, body) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${apiUrl}/api/verification/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.status === 204 ? undefined : answer.json();
}

const COMMANDS = {
  register() {
    const fresh = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    if (!existsSync(keyFile)) writeFileSync(keyFile, fresh(), { mode: 0o600 });
    const { kty, crv, x } = createPublicKey(privateKey()).export({ format: 'jwk' });
    const keys = [{ kid: 'first', kty, crv, x }];
    console.log(JSON.stringify({ provider_id: id, name: 'An example', field_types: ['text'], max_days: 365, keys }, null, 2));
  },
  async attest() {
    // Here a real provider compares the value with a document of the person, or sends a code to it.
    const { user_id, field_hash } = await post(`requests/${verificationId}`, { proof: proof('read_request') });
    const [verified_salt, now] = [randomBytes(18).toString('base64'), Date.now()];
    const attestation = jws('codase-attestation+jwt', {
      sub: user_id,
      jti: verificationId,
      field_hash,
      verified_hash: digest(verified_salt, value),
      verified_salt,
      verified_at: new Date(now).toISOString(),
      verified_expires_at: new Date(now + Number(days) * DAY_MS).toISOString(),
      verified_method: 'example',
    });
    await post(`requests/${verificationId}/attestation`, { attestation });
    console.log('attested');
  },
  async revoke() {
    await post(`attestations/${verificationId}/revocation`, { proof: proof('revoke_attestation') });
    console.log('revoked');
  },
};

const run = Object.hasOwn(COMMANDS, command ?? '') ? COMMANDS[command] : () => console.log(USAGE);
await run();
