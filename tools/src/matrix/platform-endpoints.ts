import type { Endpoint } from '@cds/contracts';

/** Every declared endpoint, and the names of those that the platform's roles serve, read off their modules. */
export interface PlatformEndpoints {
  endpoints: readonly Endpoint[];
  served: ReadonlySet<string>;
}

/** Loads contracts and platform, which takes two seconds: only when asked. */
export async function platformEndpoints(): Promise<PlatformEndpoints> {
  const [{ ENDPOINTS }, { ForwarderModule, FrontDoorModule, RegionModule }, { servedEndpoints }] = await Promise.all([
    import('@cds/contracts'),
    import('@cds/platform'),
    import('@cds/runtime/http'),
  ]);
  return {
    endpoints: ENDPOINTS,
    served: new Set([FrontDoorModule, RegionModule, ForwarderModule].flatMap((role) => servedEndpoints(role)).map(({ name }) => name)),
  };
}
