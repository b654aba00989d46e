import { Controller, Inject } from '@nestjs/common';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { discovery, type Input } from '@codase/contracts';
import { ConstantAnswer, Serves } from '@codase/runtime/http';
import { BASES, type Bases } from '../../foundation/regions/index.ts';

/** The function that makes the API document. It takes a tenth of a second, so it runs at the first request, not at every start. */
export const API_DOCUMENT = Symbol('API document');

const swaggerUi = (file: string) => createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`);

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Company Data Service API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<noscript>This page needs JavaScript. The document itself lies at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
// Groups are closed at first: with more than 136 operations open at once Swagger UI stops after the first few.
const START =
  "SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, docExpansion: 'none', validatorUrl: null });\n";

type ApiDocument = { openapi: string };

/** Serves the description of the API: the OpenAPI document for programs, and the API explorer for people. @spec D1-4.1 */
@Controller()
export class ApiDocumentHttp {
  /** The files of the API explorer. They are long, so each is in memory once, however many callers read it slowly. */
  private readonly files = new Map<string, Promise<Buffer<ArrayBuffer>>>();
  private document: ConstantAnswer<ApiDocument> | undefined;

  constructor(
    @Inject(API_DOCUMENT) private readonly makeDocument: () => ApiDocument,
    @Inject(BASES) private readonly bases: Bases,
  ) {}

  @Serves(discovery.openapiDocument)
  read() {
    return (this.document ??= new ConstantAnswer(this.makeDocument()));
  }

  @Serves(discovery.apiExplorer)
  explorer() {
    const scripts_call = this.bases.regions.map(({ api_url }) => new URL(api_url).origin);
    return { content_type: 'text/html; charset=utf-8', bytes: Buffer.from(PAGE), scripts_call };
  }

  @Serves(discovery.apiExplorerFile)
  async file({ params: { asset } }: Input<typeof discovery.apiExplorerFile>) {
    if (asset === 'start.js') return { content_type: SCRIPT, bytes: Buffer.from(START) };
    return { content_type: asset.endsWith('.css') ? 'text/css; charset=utf-8' : SCRIPT, bytes: await this.bytesOf(asset) };
  }

  /** Returns the bytes of a file. Calls that come while the file is first read wait for the same bytes. */
  private bytesOf(asset: string): Promise<Buffer<ArrayBuffer>> {
    const reading = this.files.get(asset) ?? readFile(swaggerUi(asset)).then((bytes) => Buffer.from(bytes));
    this.files.set(asset, reading);
    reading.catch(() => this.files.delete(asset));
    return reading;
  }
}

const SCRIPT = 'text/javascript; charset=utf-8';
