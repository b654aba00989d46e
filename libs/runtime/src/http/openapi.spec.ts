import { Validator } from '@seriousme/openapi-schema-validator';
import { ENDPOINTS } from '@cds/contracts';
import { openapi } from './openapi.ts';

it('is a document an independent validator accepts, with every endpoint in it', async () => {
  const document = openapi(ENDPOINTS, { title: 'Company Data Service', version: '0.1.0', servers: ['http://127.0.0.1:4000'] });

  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));

  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  for (const { path, method, name } of ENDPOINTS) expect(document.paths[path]![method.toLowerCase()]).toMatchObject({ operationId: name });
});
