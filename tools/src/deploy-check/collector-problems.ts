import { z } from 'zod';

/*
 * Neither npm nor Debian has the OpenTelemetry collector, so its configuration is compared with shapes of the components in use, written
 * after the collector's documentation: names of members, types and bounds. A component without a shape here needs one first.
 */
const Duration = z.string().regex(/^(\d+(\.\d+)?(ms|s|m|h))+$/, 'a duration, as 30s');
const Endpoint = z.string().regex(/^[\w.-]+:\d+$/, 'host:port');
const Percentage = z.number().min(0).max(100);
const named = { name: z.string().min(1) };

const Policy = z.discriminatedUnion('type', [
  z.strictObject({
    ...named,
    type: z.literal('status_code'),
    status_code: z.strictObject({ status_codes: z.array(z.enum(['OK', 'ERROR', 'UNSET'])).min(1) }),
  }),
  z.strictObject({ ...named, type: z.literal('latency'), latency: z.strictObject({ threshold_ms: z.int().min(1) }) }),
  z.strictObject({
    ...named,
    type: z.literal('probabilistic'),
    probabilistic: z.strictObject({ sampling_percentage: Percentage, hash_salt: z.string().optional() }),
  }),
]);

/** The shapes by kind and by type of component, which is the part of its name before the slash. */
const SHAPES = {
  receivers: {
    otlp: z.strictObject({
      protocols: z.strictObject({
        http: z.strictObject({ endpoint: Endpoint }).optional(),
        grpc: z.strictObject({ endpoint: Endpoint }).optional(),
      }),
    }),
  },
  processors: {
    memory_limiter: z
      .strictObject({ check_interval: Duration, limit_percentage: Percentage, spike_limit_percentage: Percentage })
      .refine(({ limit_percentage, spike_limit_percentage }) => spike_limit_percentage < limit_percentage, 'a spike below the limit'),
    tail_sampling: z.strictObject({
      decision_wait: Duration,
      num_traces: z.int().min(1),
      policies: z
        .array(Policy)
        .min(1)
        .refine((policies) => new Set(policies.map(({ name }) => name)).size === policies.length, 'policies with a name each'),
    }),
    batch: z.strictObject({ send_batch_size: z.int().min(1), timeout: Duration }),
  },
  exporters: { otlp_http: z.strictObject({ endpoint: z.url({ protocol: /^https?$/ }) }) },
  extensions: { health_check: z.strictObject({ endpoint: Endpoint }) },
} as const satisfies Record<string, Readonly<Record<string, z.ZodType>>>;

type Kind = keyof typeof SHAPES;
const KINDS = Object.keys(SHAPES) as Kind[];

const Components = z.record(z.string(), z.unknown());
const Pipeline = z.strictObject({ receivers: z.array(z.string()), processors: z.array(z.string()), exporters: z.array(z.string()) });
const Collector = z.strictObject({
  receivers: Components,
  processors: Components,
  exporters: Components,
  extensions: Components,
  service: z.strictObject({
    extensions: z.array(z.string()),
    pipelines: z.record(z.string().regex(/^(traces|metrics|logs)(\/\w+)?$/, 'traces, metrics or logs'), Pipeline),
    telemetry: z.strictObject({
      metrics: z.strictObject({
        readers: z.array(
          z.strictObject({
            pull: z.strictObject({
              exporter: z.strictObject({ prometheus: z.strictObject({ host: z.string(), port: z.int().min(1).max(65_535) }) }),
            }),
          }),
        ),
      }),
    }),
  }),
});

/** Returns a sentence for each fault of the collector's configuration: a wrong shape, or a component not configured or not used. */
export function collectorProblems(config: unknown): string[] {
  const parsed = Collector.safeParse(config);
  if (!parsed.success) return [`The collector: ${z.prettifyError(parsed.error)}`];
  const { service, ...kinds } = parsed.data;
  const pipelines = Object.values(service.pipelines);
  const used = { ...collect(pipelines), extensions: service.extensions };
  return [
    ...KINDS.flatMap((kind) => [
      ...Object.entries(kinds[kind]).flatMap(([name, settings]) => componentProblems(kind, name, settings)),
      ...used[kind].filter((name) => !(name in kinds[kind])).map((name) => `The collector uses ${name}, which is not one of its ${kind}.`),
      ...Object.keys(kinds[kind])
        .filter((name) => !used[kind].includes(name))
        .map((name) => `The collector has ${name} among its ${kind}, and uses it nowhere.`),
    ]),
    ...pipelines.flatMap(({ processors }) => orderProblems(processors)),
  ];
}

function componentProblems(kind: Kind, name: string, settings: unknown): string[] {
  const shapes: Readonly<Record<string, z.ZodType>> = SHAPES[kind];
  const shape = shapes[name.split('/')[0]!];
  if (!shape) return [`The check knows no ${name} among ${kind}: write down what its documentation says of it.`];
  const { error } = shape.safeParse(settings);
  return error ? [`The collector's ${name}: ${z.prettifyError(error)}`] : [];
}

/** Checks the order: memory is limited before anything is stored, and batches come last, so that nothing in them is sampled away. */
function orderProblems(processors: readonly string[]): string[] {
  return [
    ...(processors[0] === 'memory_limiter' ? [] : ['The collector must begin a pipeline with memory_limiter.']),
    ...(processors.at(-1) === 'batch' ? [] : ['The collector must end a pipeline with batch.']),
  ];
}

const collect = (pipelines: readonly z.infer<typeof Pipeline>[]) => ({
  receivers: pipelines.flatMap(({ receivers }) => receivers),
  processors: pipelines.flatMap(({ processors }) => processors),
  exporters: pipelines.flatMap(({ exporters }) => exporters),
});
