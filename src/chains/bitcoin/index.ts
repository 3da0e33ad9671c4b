/**
 * Bitcoin: confirmed and mempool balances of addresses, read through Esplora, Blockbook or Electrum servers.
 * The three kinds share one small interface (backend.ts), and a source falls back from one to the next.
 */
export type { BitcoinBackend } from './backend.ts'
export { createBlockbookBackend } from './blockbook.ts'
export { createElectrumClient, type ElectrumClient } from './electrum.ts'
export { createElectrumBackend } from './electrum-backend.ts'
export { createEsploraBackend } from './esplora.ts'
export {
  BITCOIN_LAG_BLOCKS,
  bitcoinHeadProbe,
  bitcoinIdentity,
  bitcoinLimits,
  type ElectrumLimits,
  electrumLimits,
  requestsPerSecondOf,
} from './network.ts'
export { createBitcoinBalanceSource } from './source.ts'
