import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { buildGenesis, decodeUtxo } from '../../../src/chains/avalanche/codec/index.ts'
import type { BlockApplier } from '../../../src/indexer/index.ts'
import { createPApplier, type PSourceBlock } from '../../../src/indexer/primary/p/applier.ts'
import type { OpenStaker } from '../../../src/indexer/primary/p/open-stakers.ts'
import { knownValidatorFee, type PRules } from '../../../src/indexer/primary/p/rules.ts'
import { createPState, PRIMARY_NETWORK, type PState, readPState } from '../../../src/indexer/primary/p/state.ts'
import { pFormat } from '../../../src/indexer/primary/sources/formats.ts'
import { idFromCb58 } from '../../../src/lib/bytes/ids.ts'
import { decodeNodeHex } from '../../../src/lib/bytes/node-hex.ts'
import { stakingRules } from '../../../src/wiring/indexed/staking-rules.ts'
import { configOf } from '../../config/sources.ts'
import { RENEWALS, recordedJson, recordedLines } from '../../support/recorded/recordings.ts'
import { smallPages } from './recorded-p.ts'

// A real network after Helicon, whose validators were connected: periods are committed one after another.

interface NodeStaker {
  txID: string
  startTime: string
  endTime: string
  weight: string
  potentialReward: string
}
interface NodeValidator extends NodeStaker {
  nextPeriod?: string
  autoCompoundRewardShares?: string
  accruedDelegateeReward: string
  delegators: NodeStaker[]
}

function rulesOfNetwork(avaxAssetId: string): PRules {
  const { upgrades, staking } = recordedJson<{ upgrades: { heliconTime: string }; staking: object }>(
    'network',
    RENEWALS,
  )
  const { testnet } = configOf({ file: { chains: { avalanche: { testnet: { staking } } } } }).chains.avalanche
  if (!testnet?.staking) throw new Error('the setting is gone')
  const helicon = BigInt(Date.parse(upgrades.heliconTime) / 1000)
  return {
    avaxAssetId,
    ...stakingRules(testnet.staking),
    validatorFee: knownValidatorFee(7_778),
    upgrades: { cortina: 0n, durango: 0n, etna: 0n, helicon },
  }
}

function recording() {
  const genesis = buildGenesis(readFileSync(new URL('genesis.json', RENEWALS), 'utf8'))
  const { xChainId, cChainId, avaxAssetId } = genesis
  const rules = rulesOfNetwork(avaxAssetId)
  const ids = { networkId: 7_778, xChainId, cChainId, avaxAssetId }
  const paid = new Map(
    recordedLines<{ height: number; utxos: string[] }>('rewards', RENEWALS).map(({ height, utxos }) => [
      height,
      utxos.map((utxo) => decodeUtxo(decodeNodeHex(utxo))),
    ]),
  )
  const blocks = recordedLines<{ hex: string }>('p-blocks', RENEWALS).map(({ hex }, height): PSourceBlock => {
    const block = pFormat.decode(decodeNodeHex(hex))
    const rewards = paid.get(height)
    return { ...block, ...(height === 0 ? { genesis } : {}), ...(rewards ? { paid: rewards } : {}) }
  })
  const applierOf = (state: PState) => createPApplier({ ids, rules, state, keepContainers: false })
  return { blocks, applierOf }
}

/** Everybody who stakes, as the node lists them. */
const theirs = (validators: readonly NodeValidator[]) =>
  validators.flatMap(({ delegators, ...validator }) => [
    { ...told(validator), ...(validator.nextPeriod === undefined ? {} : renewalOf(validator)) },
    ...delegators.map(told),
  ])

const told = ({ txID, startTime, endTime, weight, potentialReward }: NodeStaker) => ({
  txId: idFromCb58(txID),
  start: BigInt(startTime),
  end: BigInt(endTime),
  weight: BigInt(weight),
  potentialReward: BigInt(potentialReward),
})

const renewalOf = (validator: Omit<NodeValidator, 'delegators'>) => ({
  period: BigInt(validator.nextPeriod ?? 0),
  compoundShares: Number(validator.autoCompoundRewardShares),
  accruedFees: BigInt(validator.accruedDelegateeReward),
})

const ours = (state: PState) =>
  [...state.stakers.all()].map(({ txId, start, end, weight, potentialReward, accruedFees, renewal }: OpenStaker) => ({
    ...{ txId, start, end, weight, potentialReward },
    ...(renewal ? { period: renewal.period, compoundShares: renewal.compoundShares, accruedFees } : {}),
  }))

const byTx = <T extends { txId: string }>(list: T[]): T[] => list.sort((a, b) => (a.txId < b.txId ? -1 : 1))

/** The state as another process reads it: what is written, and the rows of those that have not ended. */
function reread(state: PState, written: string): PState {
  const stakers = [...state.stakers.all()].map(({ renewal, legacy, ...row }) => row)
  return readPState(state.time, written, { stakers, subnets: [...state.subnets.values()], l1Validators: [] })
}

async function replay(each: (height: number, state: PState) => void, restartAfter = Number.POSITIVE_INFINITY) {
  const { blocks, applierOf } = recording()
  let state = createPState(0n)
  let applier: BlockApplier<PSourceBlock> = applierOf(state)
  const outcomes: string[] = []
  let pages = 0
  for (const page of smallPages(blocks)) {
    // Rewards that are not the node's are refused here.
    const content = await applier.apply(page)
    const { primary = {} } = content.rows
    if (page[0]?.block.type === 'BanffProposalBlock' && page[0].block.tx.unsignedTx.type.includes('AutoRenewed'))
      outcomes.push(primary.prolongations?.length ? 'renewed' : endOf(page))
    each(Number(page.at(-1)?.height), state)
    if (++pages % restartAfter !== 0) continue
    state = reread(state, content.state ?? '')
    applier = applierOf(state)
  }
  return outcomes
}

const endOf = (page: readonly PSourceBlock[]): string =>
  page.at(-1)?.block.type === 'BanffCommitBlock' ? 'left' : 'aborted'

it('validators that renew themselves: stakers, rewards to come and the supply are those of the node', async () => {
  const recorded = new Map(
    recordedLines<{ height: number; supply: string; validators: NodeValidator[] }>('validators', RENEWALS).map(
      (line) => [line.height, line],
    ),
  )
  let compared = 0
  const outcomes = await replay((height, state) => {
    const node = recorded.get(height)
    if (!node) return
    expect(byTx(ours(state)), `at ${height}`).toEqual(byTx(theirs(node.validators)))
    expect(state.supply.get(PRIMARY_NETWORK)).toBe(BigInt(node.supply))
    compared++
  })
  expect(compared).toBe(recorded.size)
  const count = (outcome: string) => outcomes.filter((each) => each === outcome).length
  expect({ renewed: count('renewed'), left: count('left'), aborted: count('aborted') }).toEqual({
    renewed: 108,
    left: 13,
    aborted: 6,
  })
})

it('a process that takes over knows what they have set and gathered', async () => {
  const ends: string[][] = []
  for (const restartAfter of [Number.POSITIVE_INFINITY, 7]) {
    let last = ''
    await replay((_, state) => {
      last = JSON.stringify(byTx(ours(state)), (_key, value) => (typeof value === 'bigint' ? String(value) : value))
    }, restartAfter)
    ends.push([last])
  }
  expect(ends[1]).toEqual(ends[0])
})
