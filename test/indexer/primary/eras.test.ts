import { beforeAll, expect, it } from 'vitest'
import { decodePGenesis, decodeUtxo, outputFields } from '../../../src/chains/avalanche/codec/index.ts'
import { createPApplier, type PSourceBlock } from '../../../src/indexer/primary/p/applier.ts'
import type { OpenStaker } from '../../../src/indexer/primary/p/open-stakers.ts'
import { PRIMARY_REWARD, type PRules } from '../../../src/indexer/primary/p/rules.ts'
import { createPState, PRIMARY_NETWORK, type PState, readPState } from '../../../src/indexer/primary/p/state.ts'
import { pFormat } from '../../../src/indexer/primary/sources/formats.ts'
import type { L1ValidatorRow, PrimaryRows, SubnetRow, UtxoRow } from '../../../src/store/rows/index.ts'
import { ERAS, recordedLines } from '../../support/recorded/recordings.ts'

// What the node's own machine made of random transactions of every type on P, from Apricot to Helicon, each upgrade at a
// time of its own: stakers that wait across upgrades, elastic subnets, refused proposals, rewards and L1s by the old
// rules and the new.

interface Start {
  genesis: string
  time: number
  network: number
  avax: string
  x: string
  c: string
  cortina: number
  durango: number
  etna: number
  helicon: number
  maxStake: string
}
interface NodeStaker {
  tx: string
  start: number
  end: number
  weight: string
  reward?: string
  fees?: string
  pending?: true
}
interface NodeState {
  time: number
  supply: Record<string, string>
  stakers: NodeStaker[]
  l1: { id: string; weight: string; end: string; nonce: number }[]
  accrued: string
  excess: string
  active: number
  utxos?: string[]
}

let start: Start
let lines: ({ hex: string } | NodeState)[]
beforeAll(() => {
  const [first, ...rest] = recordedLines<unknown>('p-chain', ERAS)
  start = first as Start
  lines = rest as typeof lines
})

const rulesOf = ({ avax, maxStake, cortina, durango, etna, helicon }: Start): PRules => ({
  avaxAssetId: avax,
  reward: PRIMARY_REWARD,
  maxValidatorStake: BigInt(maxStake),
  validatorFee: { target: 4n, minPrice: 2n, excessConversion: 100_000n },
  upgrades: { cortina: BigInt(cortina), durango: BigInt(durango), etna: BigInt(etna), helicon: BigInt(helicon) },
})

/** Rows laid over one another as the store does it. */
function createTables() {
  const utxos = new Map<string, UtxoRow>()
  const subnets = new Map<string, SubnetRow>()
  const l1Validators = new Map<string, L1ValidatorRow>()
  const key = ({ txId, outputIndex }: { txId: string; outputIndex: number }): string => `${txId}:${outputIndex}`
  return {
    utxos,
    subnets,
    l1Validators,
    add(rows: PrimaryRows): void {
      for (const utxo of rows.utxos ?? []) if (!utxo.exportedTo) utxos.set(key(utxo), utxo)
      for (const release of rows.releases ?? []) {
        const utxo = utxos.get(key(release))
        if (!utxo?.stake) throw new Error(`${key(release)} is no stake`)
        utxos.set(key(release), { ...utxo, stake: undefined })
      }
      for (const spend of rows.spends ?? [])
        if (!spend.importedFrom && !utxos.delete(key(spend))) throw new Error(`${key(spend)} is not there`)
      for (const row of rows.staking?.subnets ?? []) subnets.set(row.id, row)
      for (const row of rows.staking?.l1Validators ?? []) l1Validators.set(row.validationId, row)
    },
  }
}
type Tables = ReturnType<typeof createTables>

const byText = (list: object[]): string[] => list.map((one) => JSON.stringify(one, Object.keys(one).sort())).sort()

const ours = (state: PState) =>
  byText(
    [...state.stakers.all()].map(({ txId, start: from, end, weight, pending, potentialReward, kind, accruedFees }) => ({
      tx: txId,
      start: Number(from),
      end: Number(end),
      weight: String(weight),
      ...(pending ? { pending } : { reward: String(potentialReward) }),
      ...(!pending && kind === 'validator' ? { fees: String(accruedFees) } : {}),
    })),
  )

const theirs = ({ stakers }: NodeState) =>
  byText(
    stakers.map(({ tx, start: from, end, weight, pending, reward, fees }) => ({
      ...{ tx, start: from, end, weight },
      ...(pending ? { pending } : { reward }),
      ...(fees === undefined ? {} : { fees }),
    })),
  )

const l1Of = ({ l1Validators }: Tables) =>
  byText(
    [...l1Validators.values()]
      .filter(({ weight }) => weight > 0n)
      .map(({ validationId, weight, endAccumulatedFee, minNonce }) => ({
        id: validationId,
        weight: String(weight),
        end: String(endAccumulatedFee),
        nonce: Number(minNonce),
      })),
  )

const outputsOf = (list: string[]): string[] =>
  list
    .map((hex) => decodeUtxo(Buffer.from(hex, 'hex')))
    .map(({ txId, outputIndex, assetId, output }) => {
      const { amount, locktime, stakeableLocktime, threshold, addresses } = outputFields(output)
      return [txId, outputIndex, assetId, amount, locktime, stakeableLocktime, threshold, ...addresses].join()
    })
    .sort()

const unspent = ({ utxos }: Tables): string[] =>
  [...utxos.values()]
    .filter(({ stake }) => !stake)
    .map(({ txId, outputIndex, assetId, amount, locktime, stakeableLocktime, threshold, addresses }) =>
      [txId, outputIndex, assetId, amount, locktime, stakeableLocktime, threshold, ...addresses].join(),
    )
    .sort()

function compare(node: NodeState, state: PState, tables: Tables, place: string): void {
  expect(Number(state.time), place).toBe(node.time)
  expect(ours(state), place).toEqual(theirs(node))
  expect(l1Of(tables), place).toEqual(byText(node.l1))
  const { accruedFees, excess, active } = state.l1
  expect([String(accruedFees), String(excess), Number(active)], place).toEqual([node.accrued, node.excess, node.active])
  for (const [subnet, supply] of Object.entries(node.supply))
    expect(String(state.supply.get(/^0+$/.test(subnet) ? PRIMARY_NETWORK : subnet)), place).toBe(supply)
  if (node.utxos) expect(unspent(tables), place).toEqual(outputsOf(node.utxos))
}

/** The state as another process reads it: of columns, and of what stands in none of them. */
function reread(state: PState, written: string, { subnets, l1Validators }: Tables): PState {
  const stakers = [...state.stakers.all()].map(({ legacy, renewal, ...row }: OpenStaker) => row)
  const open = [...l1Validators.values()].filter(({ weight }) => weight > 0n)
  return readPState(state.time, written, { stakers, subnets: [...subnets.values()], l1Validators: open })
}

async function replay(restartEvery: number): Promise<number> {
  const { x: xChainId, c: cChainId, avax: avaxAssetId, network: networkId } = start
  const [rules, tables] = [rulesOf(start), createTables()]
  let state = createPState(0n)
  const applierOf = () =>
    createPApplier({ ids: { networkId, xChainId, cChainId, avaxAssetId }, rules, state, keepContainers: false })
  let applier = applierOf()
  const genesis = decodePGenesis(Buffer.from(start.genesis, 'hex'))
  const [id, block] = ['0'.repeat(64), { type: 'ApricotCommitBlock', parentId: '0'.repeat(64), height: 0n } as const]
  const source: PSourceBlock = { block, id, parentId: id, height: 0n, time: genesis.timestamp, size: 1, genesis }
  tables.add((await applier.apply([source])).rows.primary ?? {})
  state.time = BigInt(start.time)
  let compared = 0
  let page: PSourceBlock[] = []
  for (const [place, line] of lines.entries()) {
    if (!('hex' in line)) {
      compare(line, state, tables, `line ${place + 2}`)
      compared++
      continue
    }
    page.push(pFormat.decode(Buffer.from(line.hex, 'hex')))
    if (page.at(-1)?.block.type.endsWith('ProposalBlock')) continue
    const content = await applier.apply(page)
    tables.add(content.rows.primary ?? {})
    page = []
    if (place % restartEvery !== 0) continue
    state = reread(state, content.state ?? '', tables)
    applier = applierOf()
  }
  return compared
}

it.each([
  { restartEvery: 100_000, how: 'in one go' },
  { restartEvery: 3, how: 'by many processes, one after another' },
])('stakers, rewards, supplies, L1s and unspent outputs are those of the node: $how', async ({ restartEvery }) => {
  expect(await replay(restartEvery)).toBe(58)
})
