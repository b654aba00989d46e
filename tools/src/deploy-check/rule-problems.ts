import { nameOf, podOf, type Container, type Manifest, type PodSpec } from './manifest.ts';

/** Returns a sentence for each fault that no type shows, and that an API server refuses or a cluster suffers from. */
export function ruleProblems(manifests: readonly Manifest[]): string[] {
  return [
    ...twice(manifests.map(nameOf)).map((name) => `${name} is rendered twice.`),
    ...manifests.filter(({ kind }) => kind === 'Secret').map((manifest) => `${nameOf(manifest)}: the chart makes no secrets.`),
    ...manifests.flatMap((manifest) => {
      const pod = podOf(manifest);
      return pod ? podProblems(pod.spec).map((problem) => `${nameOf(manifest)}: ${problem}`) : [];
    }),
    ...manifests.filter(({ kind }) => kind === 'Deployment').flatMap((deployment) => unprotected(deployment, manifests)),
    ...manifests.filter(lacksChecksum).map((job) => `${nameOf(job)}: it is no hook, and its name has no checksum of its content.`),
    ...manifests.filter(hasBothBounds).map((budget) => `${nameOf(budget)}: it has minAvailable and maxUnavailable.`),
  ];
}

/** Whether the next release may change a Job, which the API server refuses: a Job that is no hook needs another name for other content. */
const lacksChecksum = ({ kind, metadata: { name, annotations } }: Manifest): boolean =>
  kind === 'Job' && annotations?.['helm.sh/hook'] === undefined && !/-[0-9a-f]{10}$/.test(name);

const hasBothBounds = ({ kind, spec }: Manifest): boolean =>
  kind === 'PodDisruptionBudget' && spec?.minAvailable !== undefined && spec.maxUnavailable !== undefined;

function podProblems(pod: PodSpec): string[] {
  const containers = [...(pod.initContainers ?? []), ...pod.containers];
  const volumes = (pod.volumes ?? []).map(({ name }) => name);
  return [
    ...(pod.automountServiceAccountToken === false ? [] : ['it mounts the token of a service account.']),
    ...(pod.securityContext?.runAsNonRoot && pod.securityContext.seccompProfile?.type === 'RuntimeDefault'
      ? []
      : ['its pods are not restricted: runAsNonRoot and seccompProfile RuntimeDefault.']),
    ...twice(volumes).map((name) => `the volume ${name} is there twice.`),
    ...twice(containers.map(({ name }) => name)).map((name) => `the container ${name} is there twice.`),
    ...containers.flatMap((container) => containerProblems(container, volumes).map((problem) => `${container.name}: ${problem}`)),
  ];
}

function containerProblems({ env = [], volumeMounts = [], ports = [], ...container }: Container, volumes: readonly string[]): string[] {
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = container.securityContext ?? {};
  const isRestricted =
    allowPrivilegeEscalation === false && readOnlyRootFilesystem === true && capabilities?.drop?.includes('ALL') === true;
  return [
    ...(isRestricted ? [] : ['it is not restricted: no escalation, a read-only root, no capability.']),
    ...(container.resources?.requests?.memory && container.resources.limits?.memory ? [] : ['it requests or limits no memory.']),
    ...twice(env.map(({ name }) => name)).map((name) => `the variable ${name} is set twice.`),
    ...twice(volumeMounts.map(({ mountPath }) => mountPath)).map((path) => `${path} is mounted twice.`),
    ...twice(ports.map(({ containerPort }) => String(containerPort))).map((port) => `the port ${port} is there twice.`),
    ...volumeMounts.filter(({ name }) => !volumes.includes(name)).map(({ name }) => `it mounts ${name}, which is no volume.`),
    ...env
      .filter(({ name, value }) => value !== undefined && /(PASSWORD|SECRET|_KEY|_KEYS|TOKEN|PEPPER)$/.test(name))
      .map(({ name }) => `${name} is a secret, and stands in the manifest.`),
  ];
}

/** Returns a sentence when no network policy covers both directions of a Deployment. */
function unprotected(deployment: Manifest, manifests: readonly Manifest[]): string[] {
  const { labels } = podOf(deployment)!;
  const isSelected = manifests.some(({ kind, spec }) => {
    if (kind !== 'NetworkPolicy') return false;
    const { podSelector, policyTypes } = spec as { podSelector: { matchLabels: Record<string, string> }; policyTypes: string[] };
    const isOurs = Object.entries(podSelector.matchLabels).every(([key, value]) => labels[key] === value);
    return isOurs && policyTypes.includes('Ingress') && policyTypes.includes('Egress');
  });
  return isSelected ? [] : [`${nameOf(deployment)}: no network policy covers both of its directions.`];
}

const twice = (names: readonly string[]): string[] => [...new Set(names.filter((name, i) => names.indexOf(name) !== i))];
