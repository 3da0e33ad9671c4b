import type { Balances } from './types.ts'

/** How many things a reading lists, itself included. */
export function partsOf(balances: Balances): number {
  let parts = 1
  for (const member of Object.values(balances)) {
    if (Array.isArray(member)) parts += member.length
    else if (typeof member === 'object') parts += Object.values(member).flat().length
  }
  return parts
}
