/**
 * UTXOs that only nodes know. Outputs that X left unspent before it had blocks (before Cortina, on the public networks)
 * are in no block, so no index of blocks has them. Outputs between C and P or X are in blocks of C, whose index may lag
 * far behind its tip or not exist. Nodes are asked for both, and the index adds what it knows about their answers.
 */
export { type CMemories, type CMemory, createCMemories, INDEXED_C } from './c-memory.ts'
export { createOlderOutputs, NO_OLDER, type Older, type OlderOutputs } from './older-outputs.ts'
