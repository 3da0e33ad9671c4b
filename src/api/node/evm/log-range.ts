import { eachMember } from '../json/spans.ts'
import { decodeString, foldName } from '../json/strings.ts'
import { toQuantity } from './quantity.ts'

/**
 * A log filter as `eth_getLogs` takes it, as params; a range in it is replaced. Nodes read the names of its members
 * case-insensitively.
 * @param filter JSON in latin1
 */
export function rangeFilter(filter: string, from: bigint, to: bigint): string {
  const bytes = Buffer.from(filter, 'latin1')
  const members: string[] = [`"fromBlock":"${toQuantity(from)}"`, `"toBlock":"${toQuantity(to)}"`]
  eachMember(bytes, 0, (keyFrom, keyTo, valueFrom, valueTo) => {
    const name = foldName(decodeString(bytes, keyFrom, keyTo))
    if (name === 'address' || name === 'topics')
      members.push(`"${name}":${bytes.toString('latin1', valueFrom, valueTo)}`)
  })
  return `[{${members.join(',')}}]`
}
