/** What the files of one kind may import beside the files of their own package. */
export interface Rule {
  who: string;
  files: RegExp;
  /** Names of packages; `x/*` stands for x and all its entry points, `node:*` for every module of Node. */
  may: readonly string[] | 'anything';
  why: string;
}

/** Packages of data or pure functions that domain may read: they do no I/O and run in a browser. */
const PURE_PACKAGES: readonly string[] = ['iso-3166/*'];

const FRAMEWORKS = [
  '@nestjs/*',
  '@nats-io/*',
  '@opentelemetry/*',
  'fastify',
  'pg',
  'pino',
  'reflect-metadata',
  'rxjs',
  'saxes',
  'typeorm',
  'undici',
  'zod',
];

/** What pure files may import: decisions, shapes, modules of Node that only compute, and the kit for resilience, which uses time. */
const PURE = [
  '@codase/contracts/*',
  '@codase/domain/*',
  '@codase/crypto',
  '@codase/runtime/config',
  '@codase/runtime/metrics',
  '@codase/runtime/resilience',
  'zod',
  'node:crypto',
  'node:buffer',
  'node:util',
  'node:zlib',
];
/** What files that touch the world may import too: Nest's decorators and TypeORM's statements, but no NATS, Fastify, OpenTelemetry. */
const WORLD = [...PURE, '@codase/runtime/*', '@nestjs/common', '@nestjs/core', 'typeorm', 'node:*'];

/** The files of an app that touch the world: by their suffix, by what puts the parts together, or as SQL of migrations. */
export const TOUCHES_THE_WORLD = new RegExp(
  [
    String.raw`\.(http|bus|store|entity|service|worker|hook|module|main)\.ts$`,
    String.raw`\/(main|migrate|prepare|roles|index|capability|capabilities)\.ts$`,
    String.raw`\/migrations\/`,
  ].join('|'),
);

const inApp = (app: string, kind?: RegExp) => new RegExp(`^apps/${app}/src${kind ? `.*(${kind.source})` : '/'}`);

/** Which files may import what. The first rule that matches a file applies, and what it does not list is forbidden. */
export const RULES: readonly Rule[] = [
  {
    who: 'tests, benches, tools and the testing library',
    files: /\.(spec|check)\.ts$|^(apps|libs|dev|examples)\/[^/]+\/test\/|^(e2e|bench|tools|dev\/testing)\//,
    may: 'anything',
    why: 'they hold the whole stack in their hands',
  },
  { who: 'contracts', files: /^libs\/contracts\//, may: ['zod'], why: 'both planes, clients and browsers read them' },
  {
    who: 'crypto',
    files: /^libs\/crypto\//,
    may: ['node:crypto'],
    why: "keys and clear values pass through nothing but the platform's own cryptography",
  },
  {
    who: 'domain',
    files: /^libs\/domain\//,
    may: ['@codase/contracts/*', ...PURE_PACKAGES],
    why: 'decisions that do no I/O, in Node and in a browser',
  },
  {
    who: 'runtime',
    files: /^libs\/runtime\//,
    may: ['@codase/contracts/*', '@codase/domain/*', ...FRAMEWORKS, 'node:*'],
    why: 'it carries what apps say and knows none of them',
  },
  {
    who: 'pdf',
    files: /^libs\/pdf\//,
    may: ['bidi-js', 'fontverter', 'harfbuzzjs', 'node-forge', 'subset-font', 'node:*'],
    why: 'it reads files of strangers, and knows nothing of whose they are',
  },
  {
    who: 'servers',
    files: /^dev\/servers\//,
    may: ['pg', 'testcontainers', 'node:*'],
    why: 'it runs Postgres and NATS and knows nothing of what is stored there',
  },
  {
    who: 'actors',
    files: /^dev\/actors\//,
    may: ['@codase/contracts', '@codase/crypto', '@codase/crypto/open', '@codase/runtime/http', 'node:*'],
    why: 'people and companies act from outside, over the public API',
  },
  { who: 'command-line', files: /^libs\/command-line\//, may: ['node:*'], why: 'commands must answer at once, so it loads nothing' },
  {
    who: 'stack',
    files: /^dev\/stack\//,
    may: [
      '@codase/actors',
      '@codase/command-line',
      '@codase/contracts',
      '@codase/crypto',
      '@codase/feed-consumer',
      '@codase/flows',
      '@codase/platform',
      '@codase/runtime/*',
      '@codase/servers/*',
      '@codase/twofa',
      'zod',
      'node:*',
    ],
    why: 'it describes what npm start and the test worlds run, and needs nothing that is made for tests',
  },
  {
    who: 'client',
    files: /^libs\/client\//,
    may: ['@codase/contracts/*', '@codase/crypto', '@codase/pdf/verify', '@codase/runtime/*', 'node:crypto', 'node:events'],
    why: 'an internal service imports it and gets nothing else with it, and no way to a private key',
  },
  {
    who: 'examples',
    files: /^examples\//,
    may: ['@codase/client', '@codase/contracts/*', '@opentelemetry/*', 'openid-client', 'pg', 'node:*'],
    why: 'a company copies them, and has nothing of ours but the client and its contracts',
  },
  {
    who: 'cli',
    files: /^apps\/cli\//,
    may: [
      '@codase/actors',
      '@codase/client',
      '@codase/command-line',
      '@codase/contracts',
      '@codase/domain/*',
      '@codase/pdf/verify',
      '@codase/platform',
      '@codase/runtime/*',
      '@codase/servers/databases',
      '@codase/stack',
      '@codase/stack/process-lock',
      '@nats-io/*',
      'zod',
      'node:*',
    ],
    why: 'the product has it, so it knows nothing of tests and of the tools that build and check the repository',
  },
  {
    who: 'decryptor, files that touch the world',
    files: inApp('decryptor', TOUCHES_THE_WORLD),
    may: [...WORLD, '@codase/crypto/open', '@codase/crypto/threads'],
    why: 'it alone holds private keys, and asks nobody for anything',
  },
  {
    who: 'platform, built-in plugins',
    files: /^apps\/platform\/src\/services\/plugins\/builtin\/[^/]+\.service\.ts$/,
    may: [...WORLD, '@codase/crypto/open'],
    why: 'what is asked of a built-in plugin is sealed to it, and nobody else opens it',
  },
  {
    who: 'platform, the tables of built-in plugins',
    files: /^apps\/platform\/src\/services\/plugins\/builtin\//,
    may: [...PURE, ...PURE_PACKAGES],
    why: 'they answer from lists, and ask nobody',
  },
  {
    who: 'platform, files that touch the world',
    files: inApp('platform', TOUCHES_THE_WORLD),
    may: [...WORLD, '@codase/pdf/*', 'nodemailer', 'aws4fetch', '@aws-sdk/credential-provider-node', 'undici'],
    why: 'it never sees a private key of others and knows nothing of the suite',
  },
  {
    who: 'platform, the list of known passwords',
    files: /^apps\/platform\/src\/access\/identity\/sign-up\/known-passwords\.ts$/,
    may: ['@zxcvbn-ts/language-common'],
    why: 'a list of words touches nothing, and one file knows where it comes from',
  },
  {
    who: 'flows, questions to plugins',
    files: /^apps\/flows\/src\/plugins\/plugin-questions\.service\.ts$/,
    may: [...WORLD, '@codase/client', '@codase/crypto/open'],
    why: 'a plugin seals its reply to a key that is made for the question, and nobody else opens it',
  },
  {
    who: 'suite apps, files that touch the world',
    files: inApp('(gateway|feed-consumer|flows|twofa)', TOUCHES_THE_WORLD),
    may: [...WORLD, '@codase/client'],
    why: 'a suite app talks to the platform over HTTP and to the others over the bus, never by import',
  },
  {
    who: 'decryptor, plain-named files',
    files: inApp('decryptor'),
    may: [...PURE, '@codase/crypto/open'],
    why: 'a plain-named file is pure',
  },
  {
    who: 'apps, plain-named files',
    files: inApp('(platform|gateway|feed-consumer|flows|twofa)'),
    may: [...PURE, '@zxcvbn-ts/language-common'], // a list of known passwords: data alone
    why: 'a plain-named file is pure',
  },
];

export function allows({ may }: Rule, target: string): boolean {
  return may === 'anything' || may.some((name) => (name.endsWith('*') ? covers(name, target) : name === target));
}

const covers = (name: string, target: string) =>
  (name.endsWith('/*') && target === name.slice(0, -2)) || target.startsWith(name.slice(0, -1));

/** The districts of the platform, which are folders of capabilities, and those that each may import. There are no cycles. */
export const DISTRICTS: Readonly<Record<string, readonly string[]>> = {
  foundation: [],
  access: ['foundation'],
  storage: ['access', 'foundation'],
  services: ['storage', 'access', 'foundation'],
  sharing: ['services', 'storage', 'access', 'foundation'],
  agreements: ['sharing', 'services', 'storage', 'access', 'foundation'],
  accounts: ['sharing', 'services', 'storage', 'access', 'foundation'],
};

/** Folders of the platform below all districts: the parts that every capability is made of, and the statements that create tables. */
export const BELOW_DISTRICTS: readonly string[] = ['kit', 'migrations'];

/** Files whose statements compute the names of their tables, each with the reason. */
export const COMPUTED_TABLES: Readonly<Record<string, string>> = {
  'apps/platform/src/storage/files/pieces.store.ts': 'capabilities give it the tables of their own in which their files rest',
  'apps/platform/src/storage/moves/company-rows.store.ts': 'it copies the tables that the manifests say move with a company',
};

/** Files that may wait in loops, double or set intervals without the kit for resilience, each with the reason. */
export const OWN_PAUSES: readonly { files: RegExp; why: string }[] = [
  { files: /^libs\/runtime\/src\/resilience\//, why: 'it is the kit' },
  {
    files: /^libs\/runtime\/src\/bus\/(durable-consumer|message-processor|ordered-batches)\.ts$/,
    why: 'the pauses are a list that services set, and events that are being handled are kept alive',
  },
  { files: /^libs\/pdf\/src\/pdf-process\.ts$/, why: 'it watches the memory of a process that it may have to kill' },
  { files: /^libs\/client\/src\/group\.ts$/, why: 'it reads a gauge now and then' },
  { files: /^dev\/servers\//, why: 'it starts before everything else, and imports nothing of ours' },
  { files: /^apps\/platform\/src\/access\/identity\/passwords\/password\.ts$/, why: 'the cost of a hash is a power of two' },
];

/** Files whose exports need not be named by another file, each with the reason. */
export const NAMED_FROM_OUTSIDE: readonly { files: RegExp; why: string }[] = [
  { files: /\.check\.ts$/, why: 'they are only compiled' },
  { files: /^dev\/testing\/src\/test-run\.ts$/, why: "Jest's setup loads its build" },
  { files: /^libs\/crypto\/test\/(browser|vectors)\//, why: 'scripts bundle them, and load the bundle' },
  { files: /^tools\/src\/mutate\/spec-runner\.ts$/, why: 'Stryker loads it as a plugin' },
  { files: /^tools\/test\/pack\/fresh-project\//, why: 'it is a project of its own' },
];
