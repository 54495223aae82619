export type RunEndState = 'completed' | 'aborted' | 'failed' | 'limit';

/**
 * FemtoClaw's ten states, and AWAITING_APPROVAL. One more deviation: message form, which has no legal path in
 * FemtoClaw's own machine, goes PROTOCOL_VALIDATING -> MEMORY_COMMITTING.
 */
export type Phase =
  | 'INITIALIZING'
  | 'IDLE'
  | 'INPUT_RECEIVED'
  | 'PROTOCOL_VALIDATING'
  | 'AUTHORIZATION_EVALUATING'
  | 'AWAITING_APPROVAL'
  | 'CAPABILITY_EXECUTING'
  | 'MEMORY_COMMITTING'
  | 'COMPLETED'
  | 'ERROR'
  | 'SHUTDOWN';
