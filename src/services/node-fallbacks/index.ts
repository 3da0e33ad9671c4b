/**
 * Methods that the newest nodes dropped, composed from what those nodes still answer, to the same numbers. They are
 * asked only when a node says that it does not have the method.
 */
export { type AskEvm, composeActivePrecompiles } from './active-precompiles.ts'
export { type Ask, type Json, lacksMethod } from './ask.ts'
export { type Blockchain, composeBlockchains } from './blockchains.ts'
export { composePlatformBalance, type PlatformBalance } from './platform-balance.ts'
export { composeTxFees, type TxFees } from './tx-fees.ts'
