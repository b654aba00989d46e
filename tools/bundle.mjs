// Bundles the programs of apps/*/dist, with all that they import, as bundle/APP.mjs, and also the programs that soaks kill and start again.
// This is the last step of a whole build.
// A service that runs from its bundle starts with a third of the CPU: Node reads some twenty files in place of two thousand.
// A bundle that is newer than its inputs is kept. See docs/decisions/0035.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = join(dirname(fileURLToPath(import.meta.url)), '..');
const folderOf = (root) => join(root, 'bundle');
/** The file that says from which inputs, into which files and when the bundle was made. */
const inputsOf = (root) => join(folderOf(root), 'inputs.json');
/** The file that says what each file of the bundle imports and holds, in esbuild's format. Images are put together from it. */
const partsOf = (root) => join(folderOf(root), 'parts.json');
const DAY_MS = 86_400_000;
/**
 * Packages that are not bundled: pg because tracing hooks into modules that are loaded by `require`, the pages of the API document because
 * they are files, and the packages that shape and subset fonts because they load WebAssembly from their own folder.
 */
const PACKAGES = ['pg', 'swagger-ui-dist', 'harfbuzzjs', 'subset-font', 'fontverter'];
/** Optional packages, which are loaded only when used: drivers of other databases, and parts of the framework that no app has. */
const NEVER_LOADED = [
  'class-transformer,class-validator,@nestjs/platform-express,@nestjs/websockets',
  '@grpc/grpc-js,@grpc/proto-loader,amqp-connection-manager,amqplib,ioredis,kafkajs,mqtt,nats,redis',
  '@google-cloud/spanner,@sap/hana-client,better-sqlite3,expo-sqlite,mongodb,mssql,mysql,mysql2,oracledb',
  'pg-native,pg-query-stream,react-native-sqlite-storage,sql.js,sqlite3,typeorm-aurora-data-api-driver',
]
  .flatMap((names) => names.split(','))
  .flatMap((name) => [name, `${name}/*`]);
/** Defines the variables that a CommonJS module expects. */
const BANNER = [
  "import { createRequire as $require } from 'node:module';",
  "import { fileURLToPath as $path } from 'node:url';",
  'const require = $require(import.meta.url);',
  'const __filename = $path(import.meta.url);',
  "const __dirname = $path(new URL('.', import.meta.url));",
].join('');
/** The address of the program of a thread or a child process. Such a program is a separate entry, beside the others. */
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
  splitting: true, // code that entries share is in separate files, so that a process has one telemetry
  platform: 'node',
  format: 'esm',
  target: 'node24',
  sourcemap: 'linked',
  sourcesContent: false,
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  inject: [fileURLToPath(import.meta.resolve('reflect-metadata'))], // loaded before any decorator
  banner: { js: BANNER },
  external: [...PACKAGES, ...NEVER_LOADED],
  plugins: [threadsBeside],
};

/** Makes the bundle when something has changed. Returns whether it did. */
export async function bundle(root = REPOSITORY) {
  const entryPoints = entries(root);
  if (isFresh(root, entryPoints)) return false;
  const { build } = await import('esbuild'); // loaded late, because most calls have nothing to bundle
  const startedAt = Date.now();
  const { metafile, outputFiles } = await build({ ...OPTIONS, absWorkingDir: root, outdir: folderOf(root), entryPoints });
  await mkdir(folderOf(root), { recursive: true });
  for (const { path, contents } of outputFiles) await put(path, contents);
  const inputs = Object.keys(metafile.inputs).filter((file) => /^(apps|libs|dev|e2e)\//.test(file));
  await put(partsOf(root), JSON.stringify({ entryPoints, packages: PACKAGES, outputs: metafile.outputs }));
  await put(inputsOf(root), JSON.stringify({ startedAt, entryPoints, inputs, outputs: Object.keys(metafile.outputs) }));
  await removeOld(root, new Set([...outputFiles.map(({ path }) => path), inputsOf(root), partsOf(root)]));
  return true;
}

/** Renames the file into place, so that two runs at once leave whole files. */
async function put(path, contents) {
  const fresh = `${path}.${process.pid}.tmp`;
  await writeFile(fresh, contents);
  await rename(fresh, path);
}

/** Removes files of earlier bundles after a day: until then a running service may still load them. */
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

/** Returns the programs of soaks by name: `e2e/dist/soak/suite/handler.main.js` is `soak-handler`. */
function soakPrograms(root) {
  const dist = 'e2e/dist/soak';
  if (!existsSync(join(root, dist))) return [];
  const files = readdirSync(join(root, dist), { recursive: true }).filter((file) => file.endsWith('.main.js'));
  return files.map((file) => [`soak-${basename(file, '.main.js')}`, `${dist}/${file}`]);
}

/**
 * Returns the programs of an app by name. The main file has the name of the app, a job has the app's name and its own, another main file
 * has the name of its folder, and a thread keeps its own name.
 */
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

/** Whether no input of the bundle has changed, no program was added, and no file of the bundle is missing. */
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
