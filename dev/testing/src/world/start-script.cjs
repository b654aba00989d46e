// node start-script.cjs FOLDER FILE...: runs bundles from their scripts in FOLDER (see jest/start-scripts.mjs). Beside the scripts it keeps
// the code that Node compiled until the service said that it was ready, for the next start of the same service.
const { createHash } = require('node:crypto');
const { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { basename, dirname, join } = require('node:path');
const { pathToFileURL } = require('node:url');
const v8 = require('node:v8');
const { Script } = require('node:vm');

const [node, , folder, ...files] = process.argv;
process.argv = [node, files.at(-1)];
const service = createHash('sha1')
  .update(JSON.stringify([files, process.env.PLATFORM_ROLES]))
  .digest('hex');
const kept = join(folder, 'compiled', service);
const isKept = existsSync(kept);
const scripts = new Map();
const modules = new Map();
/**
 * The flags of V8 that the service set. V8 accepts compiled code only under the flags with which it was compiled, so the next start sets
 * them before it loads the service.
 */
const flagsFile = join(kept, 'flags.json');
const flags = isKept ? JSON.parse(readFileSync(flagsFile, 'utf8')) : [];
const { setFlagsFromString } = v8;
for (const flag of flags) setFlagsFromString(flag);
v8.setFlagsFromString = (flag) => {
  flags.push(flag);
  setFlagsFromString(flag);
};

function load(path) {
  const name = basename(path);
  if (modules.has(name)) return modules.get(name).exports;
  const module = { exports: {} };
  modules.set(name, module);
  const source = `(function(exports,require,module,__url){${readFileSync(join(folder, name), 'latin1')}\n})`;
  const compiled = join(kept, name);
  const script = new Script(source, { filename: path, cachedData: isKept && existsSync(compiled) ? readFileSync(compiled) : undefined });
  scripts.set(name, script);
  if (script.cachedDataRejected) appendFileSync(join(folder, 'refused'), `${name}\n`);
  const others = createRequire(path);
  const requireFrom = (wanted) => (/^\.\.?\//.test(wanted) ? load(join(dirname(path), wanted)) : others(wanted));
  script.runInThisContext()(module.exports, Object.assign(requireFrom, others), module, pathToFileURL(path).href);
  return module.exports;
}

/** Keeps the compiled code. The folder is renamed into place, because two processes of the same service may start first at once. */
function keep() {
  const fresh = `${kept}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  for (const [name, script] of scripts) writeFileSync(join(fresh, name), script.createCachedData());
  writeFileSync(join(fresh, basename(flagsFile)), JSON.stringify(flags));
  try {
    renameSync(fresh, kept);
  } catch {
    rmSync(fresh, { recursive: true, force: true });
  }
}

if (!isKept && process.send) {
  const send = process.send.bind(process);
  process.send = (...args) => {
    process.send = send;
    setImmediate(keep);
    return send(...args);
  };
}
// jest/teardown.mjs counts these lines at the end of the run.
appendFileSync(join(folder, 'starts'), `${process.env.OTEL_SERVICE_NAME ?? basename(process.argv[1], '.mjs')}\n`);
for (const file of files) load(file);
