/**
 * TypeBox schemas and constants that several rooms share: currencies, names of operations.
 * Nothing here knows HTTP, chains or storage.
 */
export * from './currency.ts'
export * from './data-operations.ts'
