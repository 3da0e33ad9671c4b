/**
 * Methods that the newest nodes dropped, composed of methods that those nodes still have, with the same results. Used
 * only when a node says that it lacks the method.
 */
export { type AskEvm, composeActivePrecompiles } from './active-precompiles.ts'
export { type Ask, lacksMethod } from './ask.ts'
export { composeBlockchains } from './blockchains.ts'
export { composePlatformBalance } from './platform-balance.ts'
export { composeTxFees } from './tx-fees.ts'
