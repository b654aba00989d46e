export { faultsOf, hostile, type HostileOptions, type HostileResult } from './hostile/hostile.ts';
export { clusterSoak, restartSoak, upgradeSoak } from './soak/cluster/cluster-soak.ts';
export { consumersSoak } from './soak/consumers/consumers-soak.ts';
export { platformSoak } from './soak/platform/platform-soak.ts';
export { twofaSoak } from './soak/twofa/twofa-soak.ts';
export { suiteSoak } from './soak/suite/suite-soak.ts';
export { isClean, type SoakOptions, type SoakResult } from './soak/soak.ts';
export { powerCut, type PowerCutResult } from './power-cut/power-cut.ts';
