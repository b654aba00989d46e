export { ACT_CHECK, type ActCheck, type StoredAct } from './act-check.hook.ts';
export { answeredBy, peerTableOf } from './answered-by.bus.ts';
export { PEERS } from './capability.ts';
export { ChunkedTransfer } from './chunked-transfer.service.ts';
export { ArrivedChunks, takePieces } from './chunks.store.ts';
export { statedDigest } from './stated-digest.ts';
export { PeerHandlers, type Handlers, type PeerReply } from './peer-handlers.service.ts';
export { Peers, type PeerRequest, type Search } from './peers.service.ts';
export { forUser, isMaybeElsewhere, movedMeanwhile, onceEach } from './search.ts';
