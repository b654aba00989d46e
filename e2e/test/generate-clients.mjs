// node generate-clients.mjs DOCUMENT FOLDER : generates clients of an OpenAPI document with two generators, as FOLDER/schema.ts and
// FOLDER/sdk
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString } from 'openapi-typescript';

const [file, folder] = process.argv.slice(2);
const read = () => JSON.parse(readFileSync(file, 'utf8')); // again for each generator, because generators change the object
writeFileSync(join(folder, 'schema.ts'), astToString(await openapiTypescript(read())));
await createClient({
  input: read(),
  output: { path: join(folder, 'sdk'), module: { extension: '.ts' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { level: 'silent', file: false },
});
