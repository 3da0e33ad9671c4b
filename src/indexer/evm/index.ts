/**
 * EVM chains: blocks and receipts become rows of blocks, transactions, token movements, contracts, NFTs and who took
 * part. The C-chain's side rides on its containers; other chains are streams of their own.
 */

export { createEvmLayer } from './evm-layer.ts'
export { createEvmBlockReader, type EvmReader } from './evm-reader.ts'
export { createEvmStream, type EvmStreamDeps } from './evm-stream.ts'
export type { TracePolicy } from './tracing.ts'
