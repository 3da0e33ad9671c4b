/**
 * The genesis of a network without a genesis file, inferred from the chain. It is used only if the chain, replayed from
 * it, ends at the supply that the node reports.
 */
export { createInferredGenesis, type InferredGenesisDeps } from './inferred-genesis.ts'
