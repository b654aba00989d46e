/** What the API document says before its first operation. */
export const API_INTRODUCTION = `Persons share data with companies through this service, and nobody in between can read it: a value is
sealed to the public key of the service it is meant for, by whoever shares it, and opened by the company with a private key that never comes here.

## Where to begin

1. A company signs up, signs in with the client \`app_portal\`, creates a service with a key pair of its own, and registers the service's data client.
2. Its backend gets a token at the front door with that client's id and secret, and sends every data call to the \`api_url\` of the token response.
3. A person signs up, signs in with \`app_person\`, reads the card of the service, and connects with values sealed to its key.
4. The backend drains the change feed and opens the values.

The guide "From nothing to the first opened value" in the source repository (\`docs/guides/first-value.md\`) does all of this with curl and a few lines of Node.

## Bases

Sign-up, sign-in and tokens are served at the front door; data in the home region of its owner. Every operation lists the servers that
have it. A call at the wrong base is refused with 421 and the right one in \`api_url\`: repeat it there once, and treat a second 421 as an error.
Answers are JSON, or XML where Accept asks for it.

## Sealed values

A sealed value is JSON text with four members: \`_enc\` is 1; \`k\` is a random AES-256 key encrypted with RSA-OAEP, with SHA-256 as its digest and
in MGF1; \`iv\` has 12 bytes; \`d\` is AES-256-GCM ciphertext with its 16-byte tag at the end. \`k\`, \`iv\` and \`d\` are standard base64 with padding.
Inside other JSON the wrapper is a string. Bodies of webhooks with \`encrypt_payload\` have the same members, sealed to the account key, with SHA-1
in place of SHA-256 for \`k\`.

## Files

A photo or document is a value as well. Before it is sealed it is put into a file envelope, JSON text of
\`{"file": "data:TYPE;base64,…", "original_name": "…", "mime_type": "TYPE", "size": BYTES}\`; ID documents have further members beside these. Events and
connections carry \`value_url\` in place of \`value\`. Reading that address answers one of three forms: JSON with \`encrypted: true\` and a wrapper of
the envelope, JSON with \`encrypted: false\` and the envelope in the clear, or the bytes themselves. The bytes are never JSON or XML: such a file
in the clear comes in its envelope.

## The feed and its lease

A drain deletes what it answers. A call that asks for a lease (\`?lease=new\`) deletes nothing until the next call names the lease it got,
so that a crash between answer and storage repeats events in place of losing them. The lease is an addition of this platform, and the way we
recommend.

## Levels

An account is \`free\`, \`basic\`, \`pro\` or \`business\`; new ones are \`free\`. A service has a data client from \`basic\` on; enrolling persons for
approvals, and contract flows, need \`pro\`. An operator sets the level (\`npm run operator -- level USER LEVEL\`). What a level does not include is
refused with \`account.level_required\`.

## Refusals and limits

Every refusal is \`{"error": text, "error_key": key}\`: branch on the key. Calls are counted in buckets; an empty one answers 429 with Retry-After.
After a 503 wait as Retry-After says and repeat the same call. After a 401 get a new token once.
`;
