import { build } from 'esbuild';
import { gzipSync } from 'node:zlib';

/** What a phone's page loads to seal values and to play a flow. */
const PAGE = `
  export * as crypto from '@codase/crypto';
  export * as open from '@codase/crypto/open';
  export * as flows from '@codase/domain/flow-language';
`;

it('crypto and the flow language together stay under 60 kB in a browser, without zod or Node', async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: PAGE, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    conditions: ['source'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });

  expect(gzipSync(outputFiles[0]!.text, { level: 9 }).length).toBeLessThan(60_000);
  expect(Object.keys(metafile.inputs).filter((file) => file.includes('node_modules/zod'))).toEqual([]);
});
