// Loads the TypeScript of specs and of the code they test as modules of this realm, and everything else with Node's own loader. Node
// runs the hooks of a loader in a separate thread: asking that thread for two thousand modules takes as much CPU as loading them.
const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { isBuiltin } = require('node:module');
const { dirname, join, resolve } = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');
const vm = require('node:vm');

const { SourceTextModule, SyntheticModule } = vm;
const DEFAULT_LOADER = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;

/** Whether Node has modules of a realm (with --experimental-vm-modules), and lets their code use Node's own loader (since 20.12). */
exports.canLoadModules = () => SourceTextModule !== undefined && DEFAULT_LOADER !== undefined;

exports.Modules = class Modules {
  own = new Map();
  others = new Map();
  importers = new Map();
  linked = Promise.resolve();

  /** `compile` returns the code of a TypeScript file. `given` has modules by specifier, which replace those of Node's loader. */
  constructor({ rootDir, compile, given }) {
    this.compile = compile;
    this.given = given;
    this.projects = projectsIn(rootDir);
  }

  async import(path) {
    const module = this.ownModule(path);
    await this.link(module);
    await module.evaluate();
    return module.namespace;
  }

  /** Links one module graph after the other: modules that two graphs share are linked with the first of them. */
  link(module) {
    const link = async () => {
      if (module.status === 'unlinked') await module.link((specifier, { identifier }) => this.find(specifier, fileURLToPath(identifier)));
    };
    const linked = this.linked.then(link);
    this.linked = linked.catch(() => undefined);
    return linked;
  }

  ownModule(path) {
    if (!this.own.has(path)) this.own.set(path, this.makeModule(path));
    return this.own.get(path);
  }

  makeModule(path) {
    const url = pathToFileURL(path).href;
    return new SourceTextModule(this.compile(path), {
      identifier: url,
      initializeImportMeta: (meta) => Object.assign(meta, { url, filename: path, dirname: dirname(path) }),
      importModuleDynamically: (specifier) => this.importFrom(specifier, path),
    });
  }

  /** Returns the module that an import names: TypeScript of this repository, or a wrapper around a module of Node's own loader. */
  find(specifier, from) {
    const path = this.ownPath(specifier, from);
    return path ? this.ownModule(path) : this.otherModule(specifier, from);
  }

  async importFrom(specifier, from) {
    const path = this.ownPath(specifier, from);
    return path ? this.import(path) : this.importOther(specifier, from);
  }

  /** Returns the path of the file that an import names, or undefined when it is not TypeScript of this repository. */
  ownPath(specifier, from) {
    const path = this.projects.get(specifier) ?? (specifier.startsWith('file:') ? fileURLToPath(specifier) : pathOf(specifier, from));
    return path?.endsWith('.ts') ? path : undefined;
  }

  async otherModule(specifier, from) {
    const key = isBuiltin(specifier) ? specifier : `${specifier} from ${dirname(from)}`;
    if (!this.others.has(key)) this.others.set(key, this.importOther(specifier, from).then(wrapped));
    return this.others.get(key);
  }

  async importOther(specifier, from) {
    const given = this.given[specifier];
    if (given) return given;
    const folder = dirname(from);
    if (!this.importers.has(folder)) this.importers.set(folder, importerOf(from));
    return this.importers.get(folder)(specifier);
  }
};

const pathOf = (specifier, from) => (/^\.{0,2}\//.test(specifier) ? resolve(dirname(from), specifier) : undefined);

/** Returns a function that imports as `file` would. */
const importerOf = (file) =>
  vm.compileFunction('return import(specifier);', ['specifier'], { filename: file, importModuleDynamically: DEFAULT_LOADER });

function wrapped(namespace) {
  const names = Object.keys(namespace);
  const module = new SyntheticModule(names, function () {
    for (const name of names) this.setExport(name, namespace[name]);
  });
  return module;
}

/** Returns all specifiers that projects of this repository export, each with the path of its source. */
function projectsIn(rootDir) {
  const grouped = ['apps', 'libs', 'dev', 'examples'].flatMap((group) => namesIn(join(rootDir, group)).map((name) => join(group, name)));
  return new Map([...grouped, 'e2e', 'bench', 'tools'].flatMap((project) => exportsOf(join(rootDir, project))));
}

const namesIn = (folder) => (existsSync(folder) ? readdirSync(folder) : []);

function exportsOf(folder) {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return [];
  const { name, exports = {} } = JSON.parse(readFileSync(file, 'utf8'));
  return Object.entries(exports).flatMap(([path, { source }]) => (source ? [[join(name, path), join(folder, source)]] : []));
}
