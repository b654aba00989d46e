/** The names of the endpoints that the platform's roles serve, read off their modules; loads the platform only when asked. */
export async function servedByPlatform(): Promise<ReadonlySet<string>> {
  const [{ FrontDoorModule, RegionModule }, { servedEndpoints }] = await Promise.all([
    import('@cds/platform'),
    import('@cds/runtime/http'),
  ]);
  return new Set([FrontDoorModule, RegionModule].flatMap((role) => servedEndpoints(role)).map(({ name }) => name));
}
