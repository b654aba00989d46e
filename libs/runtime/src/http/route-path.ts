/** The path of a contract in the notation of routers, with `:name` for a parameter. */
export const routePath = ({ path }: { path: string }): string => path.replace(/{(\w+)}/g, ':$1');
