/**
 * The genesis of a network whose genesis file nobody has, put together from what the chain itself tells.
 * Nothing of it is believed before the chain, replayed from it, ends at the supply that the node names.
 */
export { createInferredBook, type InferredBookDeps } from './inferred-book.ts'
