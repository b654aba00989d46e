// The programs of apps/*/dist, with all that they import -> bundle/APP.mjs, and those that soaks kill and start again. The last step of
// a whole build.
// A service that runs from its bundle starts with a third of the CPU: Node reads some twenty files in place of two thousand.
// A bundle that is newer than what it was made of stays. See docs/decisions/0035.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = join(dirname(fileURLToPath(import.meta.url)), '..');
const folderOf = (root) => join(root, 'bundle');
/** What the bundle was made of, into which files, and when. */
const inputsOf = (root) => join(folderOf(root), 'inputs.json');
/** What each file of it imports and holds, in esbuild's words; images are put together by it. */
const partsOf = (root) => join(folderOf(root), 'parts.json');
const DAY_MS = 86_400_000;
/**
 * Left as packages: pg because tracing hooks into what is required, the pages of the API document because they are files, and what shapes
 * and subsets fonts because it loads WebAssembly from beside itself.
 */
const PACKAGES = ['pg', 'swagger-ui-dist', 'harfbuzzjs', 'subset-font', 'fontverter'];
/** Loaded only by those who use them: drivers of other databases, and parts of the framework that no app has. */
const NEVER_LOADED = [
  'class-transformer,class-validator,@nestjs/platform-express,@nestjs/websockets',
  '@grpc/grpc-js,@grpc/proto-loader,amqp-connection-manager,amqplib,ioredis,kafkajs,mqtt,nats,redis',
  '@google-cloud/spanner,@sap/hana-client,better-sqlite3,expo-sqlite,mongodb,mssql,mysql,mysql2,oracledb',
  'pg-native,pg-query-stream,react-native-sqlite-storage,sql.js,sqlite3,typeorm-aurora-data-api-driver',
]
  .flatMap((names) => names.split(','))
  .flatMap((name) => [name, `${name}/*`]);
/** What a CommonJS module expects to find. */
const BANNER = [
  "import { createRequire as $require } from 'node:module';",
  "import { fileURLToPath as $path } from 'node:url';",
  'const require = $require(import.meta.url);',
  'const __filename = $path(import.meta.url);',
  "const __dirname = $path(new URL('.', import.meta.url));",
].join('');
/** A thread, or the program of a process, is an entry of its own, beside the others. */
const THREAD = /new URL\('([^']+(?:\.worker|-process-child)\.js)', import\.meta\.url\)/g;
const PDF_PROCESS = { name: 'pdf-process-child', source: 'libs/pdf/dist/pdf-process-child.js' };

const threadsBeside = {
  name: 'threads-beside',
  setup(build) {
    build.onLoad({ filter: /-thread\.service\.js$|\/pdf-process\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(THREAD, (_, file) => `new URL('./${basename(file, '.js')}.mjs', import.meta.url)`),
    }));
  },
};

const OPTIONS = {
  outExtension: { '.js': '.mjs' },
  bundle: true,
  write: false,
  metafile: true,
  splitting: true, // what entries share is a file of its own, so that a process has one telemetry
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'linked',
  sourcesContent: false,
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  inject: [fileURLToPath(import.meta.resolve('reflect-metadata'))], // before any decorator
  banner: { js: BANNER },
  external: [...PACKAGES, ...NEVER_LOADED],
  plugins: [threadsBeside],
};

/** Says whether there was something to bundle. */
export async function bundle(root = REPOSITORY) {
  const entryPoints = entries(root);
  if (isFresh(root, entryPoints)) return false;
  const { build } = await import('esbuild'); // most calls have nothing to bundle
  const startedAt = Date.now();
  const { metafile, outputFiles } = await build({ ...OPTIONS, absWorkingDir: root, outdir: folderOf(root), entryPoints });
  await mkdir(folderOf(root), { recursive: true });
  for (const { path, contents } of outputFiles) await put(path, contents);
  const inputs = Object.keys(metafile.inputs).filter((file) => /^(apps|libs|e2e)\//.test(file));
  await put(partsOf(root), JSON.stringify({ entryPoints, packages: PACKAGES, outputs: metafile.outputs }));
  await put(inputsOf(root), JSON.stringify({ startedAt, entryPoints, inputs, outputs: Object.keys(metafile.outputs) }));
  await removeOld(root, new Set([...outputFiles.map(({ path }) => path), inputsOf(root), partsOf(root)]));
  return true;
}

/** Renamed into place, so that two bundles at once leave whole files. */
async function put(path, contents) {
  const fresh = `${path}.${process.pid}.tmp`;
  await writeFile(fresh, contents);
  await rename(fresh, path);
}

/** What was made before stays for a day: a running service may still load a part of it. */
async function removeOld(root, made) {
  const paths = (await readdir(folderOf(root))).map((name) => join(folderOf(root), name)).filter((path) => !made.has(path));
  for (const path of paths) if (Date.now() - (changedAt(path) ?? Infinity) > DAY_MS) await rm(path, { force: true });
}

function entries(root) {
  const programs = readdirSync(join(root, 'apps')).flatMap((app) => programsOf(root, app));
  return {
    telemetry: 'libs/runtime/dist/telemetry/register.js',
    ...(existsSync(join(root, PDF_PROCESS.source)) && { [PDF_PROCESS.name]: PDF_PROCESS.source }),
    ...Object.fromEntries([...programs, ...soakPrograms(root)]),
  };
}

/** `e2e/dist/soak/suite/handler.main.js` is `soak-handler`. */
function soakPrograms(root) {
  const dist = 'e2e/dist/soak';
  if (!existsSync(join(root, dist))) return [];
  const files = readdirSync(join(root, dist), { recursive: true }).filter((file) => file.endsWith('.main.js'));
  return files.map((file) => [`soak-${basename(file, '.main.js')}`, `${dist}/${file}`]);
}

/** An app's main file has the app's name, its job that and its own, another main that of its folder; a thread keeps its own. */
function programsOf(root, app) {
  const dist = `apps/${app}/dist`;
  if (!existsSync(join(root, dist))) return [];
  const files = readdirSync(join(root, dist), { recursive: true }).filter((file) =>
    /(^|\/)main\.js$|^(migrate|prepare)\.js$|-thread\.worker\.js$/.test(file),
  );
  return files.map((file) => [nameOf(app, file), `${dist}/${file}`]);
}

function nameOf(app, file) {
  if (file === 'main.js') return app;
  const name = basename(file, '.js');
  return name === 'main' ? dirname(file) : file === `${name}.js` ? `${app}-${name}` : name;
}

/** Nothing it was made of has changed, no program was added, and no file of it is gone. */
function isFresh(root, entryPoints) {
  if (!existsSync(inputsOf(root)) || !existsSync(partsOf(root))) return false;
  const made = JSON.parse(readFileSync(inputsOf(root), 'utf8'));
  if (JSON.stringify(made.entryPoints) !== JSON.stringify(entryPoints)) return false;
  if (!made.outputs.every((file) => existsSync(join(root, file)))) return false;
  const sources = ['tools/bundle.mjs', 'node_modules/.package-lock.json', ...made.inputs].map((file) => join(root, file));
  return sources.every((path) => (changedAt(path) ?? Infinity) < made.startedAt);
}

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.ctimeMs;
}
