import { describe, expect, it } from 'vitest'
import { decodePTx, decodeXTx } from '../../../../src/chains/avalanche/codec/index.ts'
import { parseBech32Address } from '../../../../src/lib/bytes/bech32-address.ts'
import { encodeCb58 } from '../../../../src/lib/bytes/cb58.ts'
import { formatNodeId, idToCb58 } from '../../../../src/lib/bytes/ids.ts'
import { decodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import { recordedLines } from '../../../support/recorded/recordings.ts'

/**
 * Writing back the same bytes does not show two fields of one width that changed places. The node's own JSON does:
 * every decoded field must be there under the node's name with the node's value.
 */
const NODE_NAMES: Record<string, string[]> = {
  sigIndices: ['signatureIndices'],
  stakeOutputs: ['stake'],
  validatorRewardsOwner: ['validationRewardsOwner'],
  delegatorRewardsOwner: ['delegationRewardsOwner'],
  delegationShares: ['shares'],
  subnetAuth: ['subnetAuthorization'],
  disableAuth: ['disableAuthorization'],
  signature: ['proofOfPossession'],
  utxos: ['inputIDs'],
  input: ['mintInput', 'input'],
  owners: ['outputs'],
}
const nodeNames = (name: string) => NODE_NAMES[name] ?? [name.replace(/Id(s?)$/, 'ID$1'), name]

function spellings(value: string | Uint8Array): unknown[] {
  if (typeof value === 'string') {
    return value.length === 64 ? [idToCb58(value)] : value.length === 40 ? [formatNodeId(value), `0x${value}`] : [value]
  }
  const buffer = Buffer.from(value)
  return [`0x${buffer.toString('hex')}`, buffer.toString('base64'), encodeCb58(value), JSON.stringify([...value])]
}

function compare(ours: unknown, theirs: unknown, path: string): number {
  if (typeof ours === 'bigint' || typeof ours === 'number') {
    expect(Number(ours), path).toBe(theirs)
    return 1
  }
  if (typeof ours === 'string' || ours instanceof Uint8Array) {
    const given = Array.isArray(theirs) ? JSON.stringify(theirs) : theirs
    if (typeof given === 'string' && /^[PX]-fuji1/.test(given)) {
      expect(ours, path).toEqual(parseBech32Address(given).bytes)
    } else expect(spellings(ours), path).toContain(given)
    return 1
  }
  if (Array.isArray(ours)) {
    expect(ours.length, path).toBe((theirs as unknown[] | null)?.length ?? 0)
    return ours.reduce((sum: number, item, i) => sum + compare(item, (theirs as unknown[])[i], `${path}[${i}]`), 0)
  }
  return compareFields(ours as Record<string, unknown>, theirs as Record<string, unknown>, path)
}

/** Two fields stand somewhere else in the JSON: the subnet inside the validator, a burn's input around its indices. */
function elsewhere(name: string, theirs: Record<string, unknown>): unknown {
  if (name === 'subnetId' && theirs.validator) return (theirs.validator as Record<string, unknown>).subnetID
  if (name === 'input' && theirs.signatureIndices) return theirs
  throw new Error(`${name} is not in ${Object.keys(theirs)}`)
}

function compareFields(ours: Record<string, unknown>, theirs: Record<string, unknown>, path: string): number {
  let compared = 0
  for (const [name, value] of Object.entries(ours)) {
    if (name === 'type') continue
    const place = nodeNames(name).find((candidate) => candidate in theirs)
    compared += compare(value, place === undefined ? elsewhere(name, theirs) : theirs[place], `${path}.${name}`)
  }
  return compared
}

interface RecordedTx {
  id: string
  hex: string
  json: { unsignedTx: unknown; credentials: { credential?: unknown }[] }
}

describe.each([
  ['p-txs', decodePTx],
  ['x-txs', decodeXTx],
] as const)('%s', (name, decode) => {
  it('have every field that the node shows, under its name and with its value', () => {
    let compared = 0
    for (const { id, hex, json } of recordedLines<RecordedTx>(name)) {
      const tx = decode(decodeNodeHex(hex))
      compared += compare(tx.unsignedTx, json.unsignedTx, id)
      const theirs = json.credentials.map((entry) => entry.credential ?? entry)
      compared += compare(tx.credentials, theirs, `${id} credentials`)
    }
    expect(compared).toBeGreaterThan(5000)
  })
})
