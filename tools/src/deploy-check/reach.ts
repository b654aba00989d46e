import { podOf, type Manifest } from './manifest.ts';

/** Something on the network: a pod, or an address outside the cluster. */
interface Peer {
  namespace?: string;
  labels?: Readonly<Record<string, string>>;
  ip?: string;
}

interface Selector {
  matchLabels?: Record<string, string>;
}
interface PolicyPeer {
  namespaceSelector?: Selector;
  podSelector?: Selector;
  ipBlock?: { cidr: string; except?: string[] };
}
interface PolicyRule {
  from?: PolicyPeer[];
  to?: PolicyPeer[];
  ports?: { port: number; protocol: string }[];
}
interface Policy {
  podSelector: Selector;
  policyTypes: string[];
  ingress?: PolicyRule[];
  egress?: PolicyRule[];
}

const NAMESPACE = 'codase';
const pod = (namespace: string, labels: Record<string, string>): Peer => ({ namespace, labels });

/** The peers beside our pods, with the ports that are tried: the `targets` of the chart's values, and some peers that no pod may reach. */
const OTHERS: Readonly<Record<string, { peer: Peer; ports: readonly number[] }>> = {
  nats: { peer: pod('codase-data', { 'app.kubernetes.io/name': 'nats' }), ports: [4222, 6222, 8222] },
  postgres: { peer: pod('codase-data', { 'cnpg.io/cluster': 'codase' }), ports: [5432, 9187] },
  objects: { peer: pod('codase-data', { 'app.kubernetes.io/name': 'object-store' }), ports: [9000, 9001] },
  credentials: { peer: pod('codase-data', { 'app.kubernetes.io/name': 'token-service' }), ports: [7443, 7444] },
  timestamps: { peer: pod('codase-data', { 'app.kubernetes.io/name': 'timestamp-authority' }), ports: [8318, 8319] },
  collector: { peer: pod('observability', { 'app.kubernetes.io/name': 'opentelemetry-collector' }), ports: [4317, 4318] },
  prometheus: { peer: pod('observability', { 'app.kubernetes.io/name': 'prometheus' }), ports: [9090] },
  ingress: { peer: pod('ingress', { 'app.kubernetes.io/name': 'ingress' }), ports: [443] },
  dns: { peer: pod('kube-system', { 'k8s-app': 'kube-dns' }), ports: [53] },
  mail: { peer: { ip: '203.0.113.25' }, ports: [25, 465] },
  internet: { peer: { ip: '203.0.113.7' }, ports: [22, 25, 80, 443] },
  cloud: { peer: { ip: '169.254.169.254' }, ports: [80] },
  neighbour: { peer: { ip: '10.1.2.3' }, ports: [443, 6443] },
  stranger: { peer: pod(NAMESPACE, { 'app.kubernetes.io/name': 'stranger' }), ports: [80, 8080] },
};

/** The ports that are tried at our pods, among them the port of probes and metrics and the port of callers. */
const OWN_PORTS = [9090, 8080, 80];

/** Returns the ways that the rendered policies leave open between our pods, and between them and others: `gateway > nats:4222`. */
export function openWays(manifests: readonly Manifest[]): string[] {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec as unknown as Policy);
  const ours = manifests.flatMap((manifest) => {
    const made = podOf(manifest);
    return made ? [{ name: made.labels['app.kubernetes.io/name']!, peer: pod(NAMESPACE, made.labels) }] : [];
  });
  const ways = (from: Peer, to: Peer, ports: readonly number[], name: string) =>
    ports.filter((port) => passes(policies, from, to, port)).map((port) => `${name}:${port}`);
  return ours.flatMap(({ name, peer }) => [
    ...Object.entries(OTHERS).flatMap(([other, { peer: there, ports }]) => ways(peer, there, ports, `${name} > ${other}`)),
    ...Object.entries(OTHERS).flatMap(([other, { peer: there }]) => ways(there, peer, OWN_PORTS, `${other} > ${name}`)),
    ...ours.filter((to) => to.name !== name).flatMap((to) => ways(peer, to.peer, OWN_PORTS, `${name} > ${to.name}`)),
  ]);
}

/** Whether both ends let a connection pass. A pod that no policy selects lets everything pass; otherwise one has to allow it. */
function passes(policies: readonly Policy[], from: Peer, to: Peer, port: number): boolean {
  const of = (peer: Peer, type: string) =>
    peer.namespace === NAMESPACE
      ? policies.filter(({ podSelector, policyTypes }) => policyTypes.includes(type) && matches(peer.labels, podSelector))
      : [];
  const [out, into] = [of(from, 'Egress'), of(to, 'Ingress')];
  const leaves = out.length === 0 || out.some(({ egress = [] }) => egress.some((rule) => allows(rule, rule.to, to, port)));
  const enters = into.length === 0 || into.some(({ ingress = [] }) => ingress.some((rule) => allows(rule, rule.from, from, port)));
  return leaves && enters;
}

const allows = ({ ports }: PolicyRule, peers: PolicyPeer[] | undefined, peer: Peer, port: number): boolean =>
  (peers === undefined || peers.some((each) => isPeer(each, peer))) &&
  (ports === undefined || ports.some((each) => each.port === port && (each.protocol === 'TCP' || port === 53)));

function isPeer({ ipBlock, namespaceSelector, podSelector }: PolicyPeer, peer: Peer): boolean {
  if (ipBlock)
    return peer.ip !== undefined && isWithin(peer.ip, ipBlock.cidr) && !(ipBlock.except ?? []).some((cidr) => isWithin(peer.ip!, cidr));
  if (peer.namespace === undefined) return false;
  const isThere = namespaceSelector
    ? matches({ 'kubernetes.io/metadata.name': peer.namespace }, namespaceSelector)
    : peer.namespace === NAMESPACE;
  return isThere && matches(peer.labels, podSelector);
}

const matches = (labels: Readonly<Record<string, string>> = {}, { matchLabels = {} }: Selector = {}): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value);

const numberOf = (ip: string): number => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

/** Supports IPv4 alone, because all addresses that are tried are IPv4. */
function isWithin(ip: string, cidr: string): boolean {
  const [network, bits] = cidr.split('/') as [string, string];
  if (network.includes(':')) return false;
  const size = 2 ** (32 - Number(bits));
  return Math.floor(numberOf(ip) / size) === Math.floor(numberOf(network) / size);
}

const REACHED_BY_ALL = ['dns:53', 'nats:4222'];
const SERVICE = [...REACHED_BY_ALL, 'collector:4318'];
const WITH_DATABASE = [...SERVICE, 'postgres:5432'];
const CALLED = ['ingress > 8080'];

/** The complete list of the ways that are open. The decryptor reaches DNS, NATS and the collector, and nothing else. */
export const REACH: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  suite: {
    decryptor: SERVICE,
    gateway: [...SERVICE, 'internet:443'],
    'feed-consumer': WITH_DATABASE,
    flows: [...WITH_DATABASE, 'gateway:8080'],
    twofa: WITH_DATABASE,
    migrate: [...REACHED_BY_ALL, 'postgres:5432'],
  },
  platform: {
    'front-door': [...WITH_DATABASE, ...CALLED],
    'region-eu': [...WITH_DATABASE, ...CALLED],
    'region-us': [...WITH_DATABASE, ...CALLED],
    delivery: [...WITH_DATABASE, 'internet:443'],
    forwarder: [...SERVICE, ...CALLED, 'internet:443'],
    migrate: [...REACHED_BY_ALL, 'postgres:5432'],
  },
};

/** The same with everything on: the front door reaches the mail relay, regions their object store, timestamps or credentials. */
export const REACH_WITH_EVERYTHING: typeof REACH = {
  ...REACH,
  platform: {
    ...REACH['platform'],
    'front-door': [...WITH_DATABASE, ...CALLED, 'mail:465'],
    'region-eu': [...WITH_DATABASE, ...CALLED, 'objects:9000', 'timestamps:8318'],
    'region-us': [...WITH_DATABASE, ...CALLED, 'objects:9000', 'credentials:7443'],
  },
};

/** Returns a sentence for each way that the policies open or close against the table. */
export function reachProblems(manifests: readonly Manifest[], table: Readonly<Record<string, readonly string[]>>): string[] {
  const wanted = Object.entries(table).flatMap(([name, ways]) => [
    ...ways.map((way) => (way.startsWith('ingress > ') ? way.replace('> ', `> ${name}:`) : `${name} > ${way}`)),
    ...(name === 'migrate' ? [] : [`prometheus > ${name}:9090`]),
  ]);
  const open = openWays(manifests);
  return [
    ...open.filter((way) => !wanted.includes(way)).map((way) => `${way} is open, and must not be.`),
    ...wanted.filter((way) => !open.includes(way)).map((way) => `${way} is closed, and must be open.`),
  ];
}
