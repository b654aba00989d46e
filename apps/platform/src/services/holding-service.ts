/**
 * Requests about a service's client are made while the service is held, so that no client outlives it. The front door answers them from its
 * own database and waits for no region, so nobody can starve.
 */
export const HOLDING_SERVICE = { inTransaction: true } as const;
