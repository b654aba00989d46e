import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { ApiHosts, Config as Gateway } from '@codase/gateway';
import { parse } from 'yaml';
import { ROOT } from '../command/root.ts';
import { alertProblems, alertsIn, seriesIn } from './alert-problems.ts';
import { capacityProblems } from './capacity-problems.ts';
import { collectorProblems } from './collector-problems.ts';
import { manifestsIn, type Manifest } from './manifest.ts';
import { POSTGRES, postgresProblems, typedPart } from './postgres-problems.ts';
import { typeProblems } from './type-problems.ts';
import { openWays, reachProblems } from './reach.ts';
import { ruleProblems } from './rule-problems.ts';
import { FILES, KINDS, LEFT_OUT, programVariables, SET_BY_CHART, settingsOf } from './settings.ts';
import { settingsProblems } from './settings-problems.ts';
import { zipEntry } from './zip-entry.ts';

const POD = `
      automountServiceAccountToken: false
      securityContext: { runAsNonRoot: true, seccompProfile: { type: RuntimeDefault } }
      containers:
        - name: keys
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: [ALL] } }
          resources: { requests: { memory: 1Mi }, limits: { memory: 1Mi } }
          volumeMounts: [{ name: secrets, mountPath: /run/secrets }]
      volumes: [{ name: secrets }]`;
const DEPLOYMENT = `
kind: Deployment
metadata: { name: keys }
spec:
  template:
    metadata: { labels: { app.kubernetes.io/name: keys } }
    spec: ${POD}
`;
const policy = (egress: string) => `
kind: NetworkPolicy
metadata: { name: keys }
spec:
  podSelector: { matchLabels: { app.kubernetes.io/name: keys } }
  policyTypes: [Ingress, Egress]
  ingress: []
  egress: ${egress}
`;
const NATS = `{ to: [{ namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: codase-data } },
    podSelector: { matchLabels: { app.kubernetes.io/name: nats } } }], ports: [{ protocol: TCP, port: 4222 }] }`;
const PUBLIC = '{ to: [{ ipBlock: { cidr: 0.0.0.0/0, except: [10.0.0.0/8, 169.254.0.0/16] } }], ports: [{ protocol: TCP, port: 443 }] }';
const rendered = (egress: string, deployment = DEPLOYMENT): Manifest[] => manifestsIn(`${deployment}---${policy(egress)}`);

describe('the network paths between pods', () => {
  it('are exactly those that the network policies allow', () => {
    expect(openWays(rendered(`[${NATS}]`))).toEqual(['keys > nats:4222']);
    expect(openWays(rendered(`[${NATS}, ${PUBLIC}]`))).toEqual(['keys > nats:4222', 'keys > internet:443']);
    expect(openWays(rendered('[]'))).toEqual([]);
  });

  it('are all open without a network policy', () => {
    expect(openWays(manifestsIn(DEPLOYMENT))).toEqual(expect.arrayContaining(['keys > cloud:80', 'stranger > keys:9090']));
  });

  it('are compared with the table in both directions', () => {
    expect(reachProblems(rendered(`[${PUBLIC}]`), { migrate: [], keys: ['nats:4222'] })).toEqual([
      'keys > internet:443 is open, and must not be.',
      'keys > nats:4222 is closed, and must be open.',
      'prometheus > keys:9090 is closed, and must be open.',
    ]);
  });
});

describe('the rules for Kubernetes objects', () => {
  const problems = (change: (text: string) => string) => ruleProblems(rendered('[]', change(DEPLOYMENT)));

  it('accept a restricted pod', () => {
    expect(problems((text) => text)).toEqual([]);
  });

  it.each<[string, string, string]>([
    [
      'mountPath: /run/secrets }',
      'mountPath: /run/secrets }, { name: secrets, mountPath: /run/secrets }',
      '/run/secrets is mounted twice.',
    ],
    ['volumeMounts: [{ name: secrets', 'volumeMounts: [{ name: other', 'it mounts other, which is no volume.'],
    ['name: keys\n          ', 'name: keys\n          env: [{ name: A_PASSWORD, value: x }]\n          ', 'A_PASSWORD is a secret'],
    ['readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false', 'it is not restricted'],
    ['limits: { memory: 1Mi }', 'limits: {}', 'it requests or limits no memory.'],
    ['automountServiceAccountToken: false', 'automountServiceAccountToken: true', 'it mounts the token'],
    ['runAsNonRoot: true', 'runAsNonRoot: false', 'its pods are not restricted'],
  ])('refuse a pod with %s replaced by %s', (from, to, sentence) => {
    expect(problems((text) => text.replace(from, to))).toEqual([expect.stringContaining(sentence)]);
  });

  it('refuse secrets, duplicate objects, and pods without a network policy', () => {
    expect(
      ruleProblems(manifestsIn(`${DEPLOYMENT}---\nkind: Secret\nmetadata: { name: x }\n---\nkind: Secret\nmetadata: { name: x }\n`)),
    ).toEqual([
      'Secret x is rendered twice.',
      'Secret x: the chart makes no secrets.',
      'Secret x: the chart makes no secrets.',
      'Deployment keys: no network policy covers both of its directions.',
    ]);
  });
});

describe('the rules that an API server enforces', () => {
  const job = (name: string, annotations = '{}') =>
    manifestsIn(DEPLOYMENT.replace('Deployment', 'Job').replace('{ name: keys }', `{ name: ${name}, annotations: ${annotations} }`));
  const budget = (bounds: string) => manifestsIn(`kind: PodDisruptionBudget\nmetadata: { name: keys }\nspec: ${bounds}\n`);

  it('refuse a plain Job whose content can change under the same name', () => {
    expect(ruleProblems(job('codase-migrate-1'))).toEqual([
      'Job codase-migrate-1: it is no hook, and its name has no checksum of its content.',
    ]);
    expect(ruleProblems(job('codase-migrate-0123456789'))).toEqual([]);
    expect(ruleProblems(job('codase-migrate', '{ helm.sh/hook: pre-upgrade }'))).toEqual([]);
  });

  it('refuse a disruption budget with two bounds', () => {
    expect(ruleProblems(budget('{ minAvailable: 1 }'))).toEqual([]);
    expect(ruleProblems(budget('{ minAvailable: 1, maxUnavailable: 1 }'))).toEqual([
      'PodDisruptionBudget keys: it has minAvailable and maxUnavailable.',
    ]);
  });
});

describe('the settings of the apps in the chart', () => {
  const problems = (schema: unknown) => settingsProblems(ROOT, schema);
  const schema = () =>
    JSON.parse(readFileSync(join(ROOT, 'deploy/chart/values.schema.json'), 'utf8')) as { $defs: Record<string, unknown> };

  it('are chart values, or left out with a reason', () => {
    expect(problems(schema())).toEqual([]);
    for (const variables of Object.values(KINDS)) {
      const { env, files } = settingsOf(variables);
      const covered = new Set([...env, ...files, ...Object.keys(SET_BY_CHART), ...Object.keys(LEFT_OUT)]);
      expect(variables.filter((name) => !covered.has(name))).toEqual([]);
    }
  });

  it('are reported when the schema lacks one, or has one that no app reads', () => {
    const { $defs } = schema();
    const gateway = $defs['settings-gateway'] as { properties: { env: { properties: Record<string, object> } } };
    delete gateway.properties.env.properties.QUEUE_CALLS;
    gateway.properties.env.properties.QUEUE_CALL = {};

    expect(problems({ $defs })).toEqual([
      expect.stringContaining('settings-gateway.env lacks QUEUE_CALLS.'),
      expect.stringContaining('settings-gateway.env has QUEUE_CALL,'),
    ]);
  });

  it('include those of the programs that prepare databases and streams', () => {
    expect(settingsOf(programVariables(ROOT))).toEqual({
      env: ['CONNECT_SECONDS', 'DELIVERY_ROLE', 'FEED_MAX_BYTES', 'REPLICAS'],
      files: ['DATABASE_CERT', 'DATABASE_KEY'],
    });
    const { $defs } = schema();
    const programs = $defs['settings-programs'] as { properties: { env: { properties: Record<string, object> } } };
    delete programs.properties.env.properties.FEED_MAX_BYTES;

    expect(problems({ $defs })).toEqual([expect.stringContaining('settings-programs.env lacks FEED_MAX_BYTES.')]);
  });

  it('are mounted as files when they are secrets', () => {
    const secrets = Object.values(KINDS)
      .flat()
      .filter((name) => /(PASSWORD|SECRET|_KEY|PEPPER)$/.test(name));
    expect(secrets.filter((name) => !FILES.has(name) && !(name in SET_BY_CHART))).toEqual([]);
  });
});

describe('the presets of the chart', () => {
  interface Preset {
    services: Record<string, Service>;
  }
  interface Service {
    app: string;
    role?: string;
    natsUser?: string;
    natsSecret: { name: string };
    env?: Record<string, string>;
    reaches: string[];
  }
  const preset = (plane: string) => parse(readFileSync(join(ROOT, `deploy/chart/presets/${plane}.yaml`), 'utf8')) as Preset;

  it('give each service the password of its own bus user', () => {
    for (const plane of ['suite', 'platform'])
      for (const [name, { natsUser = name, natsSecret }] of Object.entries(preset(plane).services))
        expect(natsSecret.name).toBe(`codase-nats-${natsUser}`);
  });

  it('let the gateway of a suite send tokens to every base of the platform', () => {
    const { FRONT_DOOR_URL, API_HOSTS } = preset('suite').services['gateway']!.env!;
    const { REGIONS, FORWARDER_URL, ...platform } = preset('platform').services['front-door']!.env!;
    const regions = JSON.parse(REGIONS!) as { api_url: string }[];
    const hosts = new ApiHosts(FRONT_DOOR_URL!, Gateway.shape.API_HOSTS.parse(API_HOSTS));

    expect(FRONT_DOOR_URL).toBe(platform['FRONT_DOOR_URL']);
    expect([...regions.map(({ api_url }) => api_url), FORWARDER_URL!].map((url) => hosts.faultOf(url))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('run every kind of service', () => {
    const services = [...Object.values(preset('suite').services), ...Object.values(preset('platform').services)];
    expect([...new Set(services.map(({ app, role }) => role ?? app))].toSorted()).toEqual(Object.keys(KINDS).toSorted());
  });
});

describe('the Postgres manifest', () => {
  const text = readFileSync(join(ROOT, POSTGRES), 'utf8');

  it('has all databases and roles that services use', () => {
    expect(postgresProblems(ROOT)).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['name: twofa_app,', 'name: twofa_apps,', 'has no role twofa_app.'],
    ['spec: { name: flows,', 'spec: { name: flow,', 'has no database flows.'],
    ['{ name: codase-twofa-owner }', '{ name: codase-twofa }', 'reads the password of twofa_owner from codase-twofa-owner'],
    ['retentionPolicy: ', 'retention: 1d\n  retentionPolicy: ', 'ObjectStore '],
  ])('is refused with %s replaced by %s', (from, to, sentence) => {
    expect(postgresProblems(ROOT, manifestsIn(text.replace(from, to)))).toEqual(
      expect.arrayContaining([expect.stringContaining(sentence)]),
    );
  });

  it.each([
    ['owner: flows_owner,', 'owner: flows_owner, proprietor: x,', 'Database flows: '],
    ['{ method: any, number: 1 }', '{ method: any, number: 1, most: 2 }', 'Cluster codase: '],
    ['isWALArchiver: true', 'isWALArchiver: often', 'Cluster codase: '],
  ])('has only members that its operator knows: %s, not %s', async (from, to, sentence) => {
    const manifests = manifestsIn(text.replace(from, to));
    expect(manifests).not.toEqual(manifestsIn(text));
    expect(await typeProblems(ROOT, typedPart(manifests))).toEqual([expect.stringContaining(sentence)]);
  });
});

describe('the Postgres connections and memory for the presets', () => {
  const text = readFileSync(join(ROOT, POSTGRES), 'utf8');

  it('are sufficient', () => {
    expect(capacityProblems(ROOT)).toEqual([]);
  });

  it('are reported when Postgres accepts fewer connections than all replicas open', () => {
    const fewer = manifestsIn(text.replace('max_connections: "450"', 'max_connections: "427"'));

    expect(capacityProblems(ROOT, fewer)).toEqual([`${POSTGRES} takes 427 connections: services of the presets open 408, others 20.`]);
  });
});

describe('the alerts', () => {
  const alerts = alertsIn(ROOT);

  it('query existing series, and have a test and a runbook each', () => {
    expect(alertProblems(ROOT)).toEqual([]);
  });

  it('are reported when a series was renamed, or when a test or a runbook is missing', () => {
    const [first, ...others] = alerts;
    const series = new Set([...seriesIn(ROOT)].filter((name) => name !== 'codase_feed_spool_age_seconds'));

    expect(alertProblems(ROOT, alerts, series)).toEqual([
      'The alert CodaseFeedSpoolOld asks for codase_feed_spool_age_seconds, which no app counts or measures.',
    ]);
    expect(alertProblems(ROOT, [{ ...first!, alert: 'CodaseNew' }, ...others])).toEqual([
      expect.stringContaining('No test lets the alert CodaseNew fire'),
      'The alert CodaseNew names no runbook of its own.',
      expect.stringContaining('The alert CodaseNew has no runbook'),
      expect.stringContaining(`${first!.alert}.md is of no alert.`),
    ]);
  });
});

describe('the collector configuration', () => {
  const text = readFileSync(join(ROOT, 'deploy/observability/collector.yaml'), 'utf8');

  it('uses every component that it configures, and no other', () => {
    expect(collectorProblems(parse(text))).toEqual([]);
    expect(
      collectorProblems(parse(text.replace('processors: [memory_limiter, tail_sampling,', 'processors: [memory_limiter, sampling,'))),
    ).toEqual([
      'The collector uses sampling, which is not one of its processors.',
      'The collector has tail_sampling among its processors, and uses it nowhere.',
    ]);
  });

  it.each<[string, string, string]>([
    ['threshold_ms: 1000', 'threshold: 1s', 'threshold_ms'],
    ['type: latency, latency', 'type: slowness, latency', 'policies[1].type'],
    ['sampling_percentage: 5', 'sampling_percentage: 500', '<=100'],
    ['status_codes: [ERROR]', 'status_codes: [error]', 'status_codes[0]'],
    ['{ name: slow,', '{ name: errors,', 'policies with a name each'],
    ['decision_wait: 30s', 'decision_wait: 30', 'decision_wait'],
    ['spike_limit_percentage: 20', 'spike_limit_percentage: 80', 'a spike below the limit'],
    ['endpoint: "0.0.0.0:4318"', 'endpoint: "4318"', 'host:port'],
    ['traces: { receivers', 'trace: { receivers', 'Invalid key in record'],
    ['processors: [memory_limiter, tail_sampling, batch]', 'processors: [tail_sampling, batch, memory_limiter]', 'must begin a pipeline'],
    ['health_check: {', 'healthcheck: {', 'knows no healthcheck among extensions'],
    ['otlp_http/jaeger: { endpoint: "http://', 'otlp_http/jaeger: { endpoint: "', 'otlp_http/jaeger'],
  ])('is refused with %s replaced by %s', (from, to, sentence) => {
    expect(text).toContain(from);
    expect(collectorProblems(parse(text.replace(from, to))).join('\n')).toContain(sentence);
  });
});

describe('the zip reader', () => {
  it('extracts one file of a zip archive', () => {
    const [name, content] = [Buffer.from('helm/helm'), Buffer.from('a program')];
    const packed = deflateRawSync(content);
    const header = Buffer.alloc(30);
    header.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt16LE(name.length, 28);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(1, 10);
    end.writeUInt32LE(30 + name.length + packed.length, 16);
    const zip = Buffer.concat([header, name, packed, entry, name, end]);

    expect(zipEntry(zip, 'helm/helm')).toEqual(content);
    expect(zipEntry(zip, 'kubectl')).toBeUndefined();
    expect(() => zipEntry(Buffer.alloc(100), 'x')).toThrow('no zip archive');
  });
});
