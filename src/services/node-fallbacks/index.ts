/**
 * Methods that the newest nodes dropped, composed from what those nodes still answer, to the same numbers. They are
 * asked only when a node says that it does not have the method.
 */
export { type AskEvm, composeActivePrecompiles } from './active-precompiles.ts'
export { type Ask, lacksMethod } from './ask.ts'
export { composeBlockchains } from './blockchains.ts'
export { composePlatformBalance } from './platform-balance.ts'
export { composeTxFees } from './tx-fees.ts'
