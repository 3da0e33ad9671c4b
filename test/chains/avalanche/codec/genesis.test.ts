import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  buildGenesis,
  buildGenesisBytes,
  decodePBlock,
  decodePGenesis,
  decodeXGenesis,
  encodePGenesis,
  encodeUtxo,
  encodeXGenesis,
  localStartTimes,
  readGenesis,
} from '../../../../src/chains/avalanche/codec/index.ts'
import { formatBech32Address } from '../../../../src/lib/bytes/bech32-address.ts'
import { formatNodeId, idToCb58 } from '../../../../src/lib/bytes/ids.ts'
import { decodeNodeHex, encodeNodeHex } from '../../../../src/lib/bytes/node-hex.ts'
import { utxoId } from '../../../../src/lib/bytes/utxo-id.ts'
import { recordedJson, recordedLines } from '../../../support/recorded/recordings.ts'
import { trueUtxos } from '../../../support/recorded/true-utxos.ts'

const json = readFileSync(new URL('../../../fixtures/network/genesis.json', import.meta.url), 'utf8')
const genesis = buildGenesis(json)
const genesisBytes = buildGenesisBytes(json)

interface TrueStaker {
  genesis: boolean
  txID: string
  type: string
  nodeID: string
  weight: string
  end: number
  delegationShares: number
  validatorRewardsOwner: { addresses: string[] }
}

describe('buildGenesis', () => {
  it('gives the id that is the parent of P block 0, and the chains and asset of the recorded network', () => {
    const [block] = recordedLines<{ hex: string; json: { id: string; parentID: string } }>('p-blocks')
    if (!block) throw new Error('no genesis block')
    const network = recordedJson<{ chains: { X: string; C: string }; avaxAssetID: string }>('network')
    expect(decodePBlock(decodeNodeHex(block.hex)).parentId).toBe(genesis.genesisId)
    expect({
      genesisId: idToCb58(genesis.genesisId),
      X: idToCb58(genesis.xChainId),
      C: idToCb58(genesis.cChainId),
      avax: idToCb58(genesis.avaxAssetId),
    }).toEqual({
      genesisId: block.json.parentID,
      X: network.chains.X,
      C: network.chains.C,
      avax: network.avaxAssetID,
    })
    expect(genesis.initialSupply).toBe(363000000000000000n)
    const [, c] = genesis.chains.map(({ unsignedTx }) => unsignedTx)
    if (c?.type !== 'CreateChainTx') throw new Error('no C-chain')
    expect(JSON.parse(Buffer.from(c.genesisData).toString('utf8'))).toHaveProperty('alloc')
  })

  it('gives the UTXOs of P, and the asset of X whose outputs are those, that the replayed network starts with', () => {
    const expected = trueUtxos().filter((row) => row.kind === 'genesis')
    const bytesOf = (chain: string) =>
      expected.filter((row) => row.createdOnChain === chain).map(({ utxoId, utxoBytes }) => [utxoId, utxoBytes])
    const ours = (utxos: typeof genesis.utxos) =>
      utxos.map((utxo) => [idToCb58(utxoId(utxo)), encodeNodeHex(encodeUtxo(utxo))])
    expect(ours(genesis.utxos).toSorted()).toEqual(bytesOf('P').toSorted())
    const born = genesis.xTxs.flatMap(({ id, unsignedTx }) =>
      unsignedTx.type === 'CreateAssetTx'
        ? unsignedTx.initialStates
            .flatMap(({ outputs }) => outputs)
            .map((output, outputIndex) => ({ txId: id, outputIndex, assetId: id, output }))
        : [],
    )
    expect(ours(born).toSorted()).toEqual(bytesOf('X').toSorted())
    expect(genesis.utxos.length + born.length).toBeGreaterThan(5)
  })

  it('gives the validators that stake from the start', () => {
    const expected = recordedLines<TrueStaker>('truth/stakers').filter((row) => row.genesis)
    const ours = genesis.validators.map(({ id, unsignedTx }) => {
      if (unsignedTx.type !== 'AddPermissionlessValidatorTx') throw new Error(unsignedTx.type)
      return {
        txID: idToCb58(id),
        type: unsignedTx.type,
        nodeID: formatNodeId(unsignedTx.validator.nodeId),
        weight: String(unsignedTx.validator.weight),
        end: Number(unsignedTx.validator.end),
        delegationShares: unsignedTx.delegationShares,
        owner: unsignedTx.validatorRewardsOwner.addresses.map((address) => formatBech32Address(address, 'fuji')),
      }
    })
    const theirs = expected.map(({ txID, type, nodeID, weight, end, delegationShares, validatorRewardsOwner }) => ({
      txID,
      type,
      nodeID,
      weight,
      end,
      delegationShares,
      owner: validatorRewardsOwner.addresses,
    }))
    const byTx = (a: { txID: string }, b: { txID: string }) => (a.txID < b.txID ? -1 : 1)
    expect(ours.toSorted(byTx)).toEqual(theirs.toSorted(byTx))
    expect(ours).toHaveLength(5)
  })

  it('shares staked funds out in equal parts, across owners and locks, and the last one takes what is left over', () => {
    const { initialStakers, startTime: start, ...config } = JSON.parse(json)
    const avaxAddr = config.initialStakedFunds[0]
    const other = initialStakers[0].rewardAddress
    const funds = (owner: string, ...unlockSchedule: object[]) => ({
      ...config.allocations[0],
      avaxAddr: owner,
      unlockSchedule,
    })
    const { validators } = buildGenesis(
      JSON.stringify({
        ...config,
        startTime: start,
        allocations: [
          funds(avaxAddr, { amount: 10, locktime: start + 1 }, { amount: 5, locktime: start + 2 }),
          funds(other, { amount: 12, locktime: start + 2 }, { amount: 4, locktime: start + 2 }),
        ],
        initialStakedFunds: [avaxAddr, other],
        initialStakers: initialStakers.slice(0, 4),
      }),
    )
    const shares = validators.map(({ unsignedTx }) => {
      if (unsignedTx.type !== 'AddPermissionlessValidatorTx') throw new Error(unsignedTx.type)
      const { validator, stakeOutputs } = unsignedTx
      const parts = stakeOutputs.map(({ output }) => {
        if (output.type !== 'stakeable-lock') throw new Error(output.type)
        return [Number(output.locktime) - start, Number(output.output.amount)]
      })
      return { end: validator.end, weight: Number(validator.weight), parts }
    })
    const inOrder = shares.toSorted((a, b) => Number(b.end - a.end)).map(({ weight, parts }) => ({ weight, parts }))
    // By lock, then by amount.
    const expected = [
      [[1, 7]],
      [
        [1, 3],
        [2, 4],
      ],
      [
        [2, 1],
        [2, 6],
      ],
      [
        [2, 4],
        [2, 6],
      ],
    ]
    expect(inOrder).toEqual(
      expected.map((parts) => ({ weight: parts.reduce((sum, [, amount = 0]) => sum + amount, 0), parts })),
    )
  })

  it('keeps amounts that a double cannot hold', () => {
    const odd = json.replace('"initialAmount": 10000000000000000', '"initialAmount": 10000000000000001')
    expect(odd).not.toBe(json)
    expect(buildGenesis(odd).initialSupply).toBe(genesis.initialSupply + 1n)
  })

  it('says which member is wrong', () => {
    expect(() => buildGenesis('{')).toThrow('the genesis is no JSON')
    expect(() => buildGenesis(json.replace('"networkID": 5', '"networkID": "5"'))).toThrow(/networkID must be/)
    expect(() => buildGenesis(json.replace(/NodeID-7X/, 'NodeID-8X'))).toThrow(/cb58/)
  })
})

describe('genesis bytes', () => {
  it('are taken apart and written back byte for byte', () => {
    expect(Buffer.compare(encodePGenesis(decodePGenesis(genesisBytes)), genesisBytes)).toBe(0)
    const [x] = genesis.chains
    if (x?.unsignedTx.type !== 'CreateChainTx') throw new Error('no X-chain')
    const { genesisData } = x.unsignedTx
    expect(Buffer.compare(encodeXGenesis(decodeXGenesis(genesisData)), genesisData)).toBe(0)
    expect(readGenesis(genesisBytes)).toEqual(genesis)
  })

  it('move their start with the local network every 270 days', () => {
    const [first, second, third, fourth, fifth] = [0, 1, 2, 3, 4].map((moves) => 1721016000 + moves * 23328000)
    expect(localStartTimes(0)).toEqual([second, first])
    expect(localStartTimes(1721016000)).toEqual([second, first])
    expect(localStartTimes(1721016000 + 23328000 - 1)).toEqual([second, first])
    expect(localStartTimes(1795172983.5)).toEqual([fifth, fourth, third, second, first])
    expect(buildGenesis(json, 1795046401).genesisId).not.toBe(genesis.genesisId)
  })
})
