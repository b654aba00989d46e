import { z } from 'zod';

const Components = z.record(z.string(), z.unknown());
const Pipeline = z.strictObject({ receivers: z.array(z.string()), processors: z.array(z.string()), exporters: z.array(z.string()) });
const Collector = z.strictObject({
  receivers: Components,
  processors: Components,
  exporters: Components,
  extensions: Components,
  service: z.looseObject({ extensions: z.array(z.string()), pipelines: z.record(z.string(), Pipeline) }),
});

/** Where a pipeline of the collector names what is not configured, or what is configured is used by none: each as a sentence. */
export function collectorProblems(config: unknown): string[] {
  const { service, ...kinds } = Collector.parse(config);
  const pipelines = Object.values(service.pipelines);
  const used = { ...collect(pipelines), extensions: service.extensions };
  return (['receivers', 'processors', 'exporters', 'extensions'] as const).flatMap((kind) => [
    ...used[kind].filter((name) => !(name in kinds[kind])).map((name) => `The collector uses ${name}, which is not one of its ${kind}.`),
    ...Object.keys(kinds[kind])
      .filter((name) => !used[kind].includes(name))
      .map((name) => `The collector has ${name} among its ${kind}, and uses it nowhere.`),
  ]);
}

const collect = (pipelines: readonly z.infer<typeof Pipeline>[]) => ({
  receivers: pipelines.flatMap(({ receivers }) => receivers),
  processors: pipelines.flatMap(({ processors }) => processors),
  exporters: pipelines.flatMap(({ exporters }) => exporters),
});
