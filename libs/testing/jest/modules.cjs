// Loads the TypeScript of specs and of what they test as modules of this realm, and all else as Node does. Node 20 runs the hooks of a
// loader in a thread of its own: to ask it about two thousand modules takes as much CPU as to load them.
const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { isBuiltin } = require('node:module');
const { dirname, join, resolve } = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');
const vm = require('node:vm');

const { SourceTextModule, SyntheticModule } = vm;
const DEFAULT_LOADER = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;

/** Node has such modules with --experimental-vm-modules, and since 20.10 a way back to its own loader. */
exports.canLoadModules = () => SourceTextModule !== undefined && DEFAULT_LOADER !== undefined;

exports.Modules = class Modules {
  own = new Map();
  others = new Map();
  importers = new Map();
  linked = Promise.resolve();

  /** `compile` answers the code of a TypeScript file; `given` are modules by their specifiers, in place of Node's. */
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

  /** One graph after the other: what two of them share is linked by the first. */
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

  /** What an import names: a module of ours, or one that wraps what Node's own loader answers. */
  find(specifier, from) {
    const path = this.ownPath(specifier, from);
    return path ? this.ownModule(path) : this.otherModule(specifier, from);
  }

  async importFrom(specifier, from) {
    const path = this.ownPath(specifier, from);
    return path ? this.import(path) : this.importOther(specifier, from);
  }

  /** Undefined where it is not TypeScript of this repository. */
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

/** Imports as a file of that folder would. */
const importerOf = (file) =>
  vm.compileFunction('return import(specifier);', ['specifier'], { filename: file, importModuleDynamically: DEFAULT_LOADER });

function wrapped(namespace) {
  const names = Object.keys(namespace);
  const module = new SyntheticModule(names, function () {
    for (const name of names) this.setExport(name, namespace[name]);
  });
  return module;
}

/** What can be imported of the projects of this repository, each from its sources. */
function projectsIn(rootDir) {
  const grouped = ['apps', 'libs', 'examples'].flatMap((group) => namesIn(join(rootDir, group)).map((name) => join(group, name)));
  return new Map([...grouped, 'e2e', 'bench', 'tools'].flatMap((project) => exportsOf(join(rootDir, project))));
}

const namesIn = (folder) => (existsSync(folder) ? readdirSync(folder) : []);

function exportsOf(folder) {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return [];
  const { name, exports = {} } = JSON.parse(readFileSync(file, 'utf8'));
  return Object.entries(exports).flatMap(([path, { source }]) => (source ? [[join(name, path), join(folder, source)]] : []));
}
