import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FIXTURES } from '../recorded/recordings.ts'
import { type ReplayNode, startReplayNode } from './index.ts'
import { openRecordings } from './recorded/recordings.ts'

/** Fees of a network that was started with flags of its own. */
const FEES = { capacity: 20_000, target: 2, minPrice: 1_000, excessConversionConstant: 200 }

let folder: string
let whole: ReplayNode
let bare: ReplayNode
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'firn-no-truth-'))
  cpSync(join(FIXTURES, 'network'), join(folder, 'network'), {
    recursive: true,
    filter: (path) => !path.endsWith('truth'),
  })
  // Nor is every asset named.
  const path = join(folder, 'network/network.json')
  const network = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...network, validatorFeeConfig: FEES, assets: network.assets.slice(0, 1) }))
  rmSync(join(folder, 'network/final-state.json'))
  whole = await startReplayNode({ facts: false })
  bare = await startReplayNode({ recordings: folder, facts: false })
})
afterAll(async () => {
  await whole?.stop()
  await bare?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function ask(node: ReplayNode, path: string, method: string, params: object): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(`${node.url}/ext/bc/${path}`, { method: 'POST', body, headers: TYPE })
  return answer.json()
}
const TYPE = { 'content-type': 'application/json' }

async function expectSame(path: string, method: string, params: object): Promise<void> {
  const [known, told] = await Promise.all([ask(whole, path, method, params), ask(bare, path, method, params)])
  expect(inAnyOrder(told), `${method} ${JSON.stringify(params)}`).toEqual(inAnyOrder(known))
}

/** Outputs of one staking transaction stand in any order in what was recorded address by address. */
const inAnyOrder = (answer: unknown): unknown => {
  const { result } = answer as { result?: { stakedOutputs?: string[] } }
  return result?.stakedOutputs ? { ...result, stakedOutputs: result.stakedOutputs.toSorted() } : answer
}

const lines = (name: string): string[] => [...openRecordings(FIXTURES).lines(`network/${name}.ndjson.gz`)]

it('what was read of the node at the end says what each address owns and stakes', async () => {
  const addresses = lines('address-state').map((line) => (JSON.parse(line) as { address: string }).address)
  expect(addresses.length).toBeGreaterThan(100)
  for (const address of addresses.filter((_, index) => index % 3 === 0)) {
    await expectSame('P', 'platform.getBalance', { addresses: [`P-${address}`] })
    await expectSame('P', 'platform.getStake', { addresses: [`P-${address}`] })
    await expectSame('P', 'platform.getUTXOs', { addresses: [`P-${address}`], sourceChain: 'X' })
    await expectSame('X', 'avm.getUTXOs', { addresses: [`X-${address}`] })
    await expectSame('C/avax', 'avax.getUTXOs', { addresses: [`C-${address}`], sourceChain: 'P' })
  }
  await expectSame('P', 'platform.getStake', { addresses: addresses.map((address) => `P-${address}`) })
})

it('assets that nobody lists are those that their transactions make', async () => {
  const { assets } = JSON.parse(readFileSync(join(FIXTURES, 'network/network.json'), 'utf8'))
  expect(assets.length).toBeGreaterThan(5)
  for (const { assetID } of assets) await expectSame('X', 'avm.getAssetDescription', { assetID })
})

it('whoever stakes since genesis does so by an accepted transaction', async () => {
  const genesis = lines('truth/stakers').flatMap((line) => {
    const staker = JSON.parse(line) as { txID: string; genesis: boolean }
    return staker.genesis ? [staker.txID] : []
  })
  expect(genesis.length).toBeGreaterThan(1)
  for (const txID of genesis) {
    await expectSame('P', 'platform.getTxStatus', { txID })
    await expectSame('P', 'platform.getTx', { txID })
  }
})

it('rewards, supply, time and validators are those of the end', async () => {
  for (const line of lines('p-txs')) {
    const { id } = JSON.parse(line) as { id: string }
    await expectSame('P', 'platform.getRewardUTXOs', { txID: id })
  }
  await expectSame('P', 'platform.getCurrentSupply', {})
  await expectSame('P', 'platform.getTimestamp', {})
  await expectSame('P', 'platform.getCurrentValidators', {})
  await expectSame('P', 'platform.getTotalStake', {})
  const { subnets } = openRecordings(FIXTURES).json<{ subnets: { id: string }[] }>('network/platform-state.json')
  for (const { id } of subnets) {
    await expectSame('P', 'platform.getCurrentValidators', { subnetID: id })
    await expectSame('P', 'platform.getValidatorsAt', { subnetID: id, height: 'proposed' })
  }
})

it('fees of L1 validators are those that were recorded; their state is not known where it was not', async () => {
  expect(await ask(bare, 'P', 'platform.getValidatorFeeConfig', {})).toMatchObject({ result: FEES })
  expect(await ask(bare, 'P', 'platform.getValidatorFeeState', {})).toMatchObject({ error: expect.anything() })
  expect(await ask(whole, 'P', 'platform.getValidatorFeeState', {})).toMatchObject({ result: expect.anything() })
})

it('the total stake is told where subnets are listed without the primary network', async () => {
  const listed = mkdtempSync(join(tmpdir(), 'firn-no-primary-'))
  cpSync(join(folder, 'network'), join(listed, 'network'), {
    recursive: true,
    filter: (path) => !path.includes('convers'),
  })
  const path = join(listed, 'network/platform-state.json')
  const state = JSON.parse(readFileSync(path, 'utf8')) as { subnets: { id: string }[]; totalStake: object }
  const subnets = state.subnets.filter(({ id }) => !id.startsWith('1111'))
  writeFileSync(path, JSON.stringify({ ...state, subnets }))
  const node = await startReplayNode({ recordings: listed, facts: false })
  try {
    expect(await ask(node, 'P', 'platform.getTotalStake', {})).toMatchObject({ result: state.totalStake })
  } finally {
    await node.stop()
    rmSync(listed, { recursive: true, force: true })
  }
})

it('a network is served without keys and without a validator', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'firn-no-keys-'))
  const read = (name: string) => JSON.parse(readFileSync(join(FIXTURES, 'network', name), 'utf8'))
  cpSync(join(folder, 'network'), join(empty, 'network'), {
    recursive: true,
    filter: (path) => !path.includes('convers'),
  })
  const { keys, ...network } = read('network.json')
  expect(Object.keys(keys).length).toBeGreaterThan(0)
  const state = { ...read('platform-state.json'), primary: { validators: [] }, primaryOneByOne: [] }
  writeFileSync(join(empty, 'network/network.json'), JSON.stringify({ ...network, unknown: [{}] }))
  writeFileSync(join(empty, 'network/platform-state.json'), JSON.stringify(state))
  const node = await startReplayNode({ recordings: empty, facts: false })
  try {
    const [line = ''] = lines('address-state')
    const { address, P } = JSON.parse(line) as { address: string; P: { balance: { balance: string } } }
    const answer = await ask(node, 'P', 'platform.getBalance', { addresses: [`P-${address}`] })
    expect(answer).toMatchObject({ result: { balance: P.balance.balance } })
    expect(await ask(node, 'P', 'platform.getCurrentValidators', {})).toMatchObject({ result: { validators: [] } })
  } finally {
    await node.stop()
    rmSync(empty, { recursive: true, force: true })
  }
})
