/**
 * What X left unspent before it had blocks (before Cortina, on the public networks) is in no block, so that no index of
 * blocks has it: the nodes are asked, and the index says what of their answer it knows.
 */
export { createOlderOutputs, NO_OLDER, type Older, type OlderOutputs } from './older-outputs.ts'
