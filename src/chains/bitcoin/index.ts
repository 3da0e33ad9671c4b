/**
 * Bitcoin: confirmed and mempool balances of addresses, read through Esplora, Blockbook or Electrum servers.
 * The three kinds share one small interface (backend.ts), and a source falls back from one to the next.
 */
export { createBitcoinBackends } from './backends.ts'
export { createBitcoinBalanceSource } from './source.ts'
