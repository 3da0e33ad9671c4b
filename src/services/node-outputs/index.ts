/**
 * UTXOs that only nodes can tell of. What X left unspent before it had blocks (before Cortina, on the public networks) is
 * in no block, so that no index of blocks has it. And what lies between P or X and C stands in blocks of C, whose index
 * may be far from its tip, or not be there at all. The nodes are asked, and the index says what of their answer it knows.
 */
export { type CMemories, type CMemory, createCMemories, INDEXED_C } from './c-memory.ts'
export { createOlderOutputs, NO_OLDER, type Older, type OlderOutputs } from './older-outputs.ts'
