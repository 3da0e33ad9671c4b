/**
 * TypeBox schemas and constants that several APIs share: CAIP-2 references, currencies.
 * Nothing here knows HTTP, chains or storage.
 */
export * from './caip.ts'
export * from './currency.ts'
