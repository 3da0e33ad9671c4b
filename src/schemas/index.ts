/**
 * TypeBox schemas and constants that several rooms share: CAIP-2 references, currencies, names of operations.
 * Nothing here knows HTTP, chains or storage.
 */
export * from './caip.ts'
export * from './currency.ts'
export * from './data-operations.ts'
