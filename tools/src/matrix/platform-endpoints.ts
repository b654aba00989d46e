import type { Endpoint } from '@codase/contracts';

interface PlatformEndpoints {
  endpoints: readonly Endpoint[];
  served: ReadonlySet<string>;
}

/** Loads the contracts and the platform only when it is called, because loading takes two seconds. */
export async function platformEndpoints(): Promise<PlatformEndpoints> {
  const [{ ENDPOINTS }, { ForwarderModule, FrontDoorModule, RegionModule }, { servedEndpoints }] = await Promise.all([
    import('@codase/contracts'),
    import('@codase/platform'),
    import('@codase/runtime/http'),
  ]);
  return {
    endpoints: ENDPOINTS,
    served: new Set([FrontDoorModule, RegionModule, ForwarderModule].flatMap((role) => servedEndpoints(role)).map(({ name }) => name)),
  };
}
