import { parseAllDocuments } from 'yaml';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: Record<string, unknown>;
  [member: string]: unknown;
}

export const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

/** Returns the objects of a YAML text. Throws on a fault, such as a member that is written twice. */
export function manifestsIn(text: string): Manifest[] {
  return parseAllDocuments(text, { uniqueKeys: true }).flatMap((document) => {
    if (document.errors[0]) throw document.errors[0];
    const object = document.toJS() as Manifest | null;
    return object ? [object] : [];
  });
}

export interface Container {
  name: string;
  image: string;
  env?: { name: string; value?: string }[];
  args?: string[];
  volumeMounts?: { name: string; mountPath: string }[];
  ports?: { name: string; containerPort: number }[];
  securityContext?: { allowPrivilegeEscalation?: boolean; readOnlyRootFilesystem?: boolean; capabilities?: { drop?: string[] } };
  resources?: { requests?: Record<string, unknown>; limits?: Record<string, unknown> };
}

export interface PodSpec {
  automountServiceAccountToken?: boolean;
  securityContext?: { runAsNonRoot?: boolean; seccompProfile?: { type: string } };
  initContainers?: Container[];
  containers: Container[];
  volumes?: { name: string }[];
}

/** The pods that an object creates, with their labels; undefined when it creates none. */
export function podOf({ kind, spec }: Manifest): { labels: Record<string, string>; spec: PodSpec } | undefined {
  if (kind !== 'Deployment' && kind !== 'Job') return undefined;
  const { metadata, spec: pod } = spec!.template as { metadata: { labels: Record<string, string> }; spec: PodSpec };
  return { labels: metadata.labels, spec: pod };
}
