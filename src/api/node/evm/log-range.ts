import { eachElement, eachMember } from '../json/spans.ts'
import { decodeString, foldName } from '../json/strings.ts'

/** A height as a parameter of a call. */
export const hex = (height: bigint): string => `"0x${height.toString(16)}"`

/** Elements of an array, as views of its bytes. */
export function elementsOf(array: Buffer): Buffer[] {
  const found: Buffer[] = []
  eachElement(array, 0, (from, to) => {
    found.push(array.subarray(from, to))
    return true
  })
  return found
}

/**
 * A log filter as `eth_getLogs` takes it, as params; a range in it is replaced. Nodes read the names of its members
 * case-insensitively.
 * @param filter JSON in latin1
 */
export function rangeFilter(filter: string, from: bigint, to: bigint): string {
  const bytes = Buffer.from(filter, 'latin1')
  const members: string[] = [`"fromBlock":${hex(from)}`, `"toBlock":${hex(to)}`]
  eachMember(bytes, 0, (keyFrom, keyTo, valueFrom, valueTo) => {
    const name = foldName(decodeString(bytes, keyFrom, keyTo))
    if (name === 'address' || name === 'topics')
      members.push(`"${name}":${bytes.toString('latin1', valueFrom, valueTo)}`)
  })
  return `[{${members.join(',')}}]`
}
