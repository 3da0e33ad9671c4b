import { expect, it, onTestFinished } from 'vitest'
import { buildGenesis, decodeUtxo } from '../../../src/chains/avalanche/codec/index.ts'
import { createGenesisSource } from '../../../src/indexer/primary/index.ts'
import { EMPTY_ID } from '../../../src/lib/bytes/ids.ts'
import { decodeNodeHex } from '../../../src/lib/bytes/node-hex.ts'
import { until } from '../../support/waiting/until.ts'
import { dumpTable, type Row } from '../database-dump.ts'
import { type Lie, startLyingProxy } from '../lying-proxy.ts'
import { recordedGenesis, type Stage, startStage } from '../stage.ts'

interface UtxoAnswer {
  result: { numFetched: string; utxos: string[] }
}

/** Takes outputs of the genesis out of what the node tells. */
function hiding(hidden: (outputIndex: number) => boolean): Lie {
  return (body, { body: asked }) => {
    if (!asked.includes('platform.getUTXOs')) return body
    const answer = JSON.parse(body.toString()) as UtxoAnswer
    answer.result.utxos = answer.result.utxos.filter((hex) => {
      const { txId, outputIndex } = decodeUtxo(decodeNodeHex(hex))
      return txId !== EMPTY_ID || !hidden(outputIndex)
    })
    return Buffer.from(
      JSON.stringify({ ...answer, result: { ...answer.result, numFetched: `${answer.result.utxos.length}` } }),
    )
  }
}

/** Some allocations have moved, as plain outputs and as locked ones, and some have not. */
const UP_TO = { P: 38, X: 10 }

const inferring = async (lie: Lie, chains: readonly ('P' | 'X' | 'C')[], P = UP_TO.P): Promise<Stage> =>
  startStage({
    genesis: 'infer',
    nodes: [{ upTo: { ...UP_TO, P } }],
    chains,
    urls: async ([node]) => {
      const proxy = await startLyingProxy(node?.url ?? '', lie)
      onTestFinished(() => proxy.stop())
      return [proxy.url]
    },
    times: { maxRetryMs: 50 },
  })

const text = (rows: Row[]): string =>
  JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))

it('without its file the genesis is put together from the chain, to the last row, and status says so', async () => {
  const [stage, filed] = await Promise.all([
    inferring(
      hiding(() => false),
      ['P', 'X'],
    ),
    startStage({ chains: ['P', 'X'], nodes: [{ upTo: UP_TO }] }),
  ])
  await Promise.all([stage.caughtUp(), filed.caughtUp()])
  for (const table of ['utxo', 'utxo_owner', 'staker', 'staker_owner', 'block', 'blockchain', 'asset']) {
    const [found, expected] = await Promise.all([dumpTable(stage.sql, table), dumpTable(filed.sql, table)])
    expect(expected.length).toBeGreaterThan(0)
    expect(text(found) === text(expected), table).toBe(true)
  }
  const notes = (one: Stage) => one.indexer.status().streams.map((stream) => stream.notes)
  expect(notes(filed)).toEqual([[], []])
  expect(notes(stage)).toEqual([[expect.stringMatching(/^genesis inferred/)], []])
})

it('is not put together where the network turns out to be one whose file is known', async () => {
  const { xChainId } = buildGenesis(await recordedGenesis())
  const asked: string[] = []
  const stage = await startStage({
    genesis: 'infer',
    knownGenesis(id) {
      asked.push(id)
      return createGenesisSource(recordedGenesis)
    },
    nodes: [{ upTo: UP_TO }],
    chains: ['P', 'X'],
  })
  await stage.caughtUp()
  expect(new Set(asked)).toEqual(new Set([xChainId]))
  expect(stage.indexer.status().streams.map(({ notes }) => notes)).toEqual([[], []])
})

it.each([
  ['in the middle', (index: number) => index === 0, /allocation 0 belongs to an address that never showed up/],
  ['at the end', (index: number) => index === 4, /lead to a supply of \d+ nAVAX where the node names \d+/],
])(
  'an allocation that is missing %s is no smaller balance but a refusal',
  async (_, hidden, message) => {
    const stage = await inferring(hiding(hidden), ['P'], 4)
    const status = () => stage.indexer.status().streams[0]
    await until(() => status()?.error !== undefined, 'refused')
    expect(status()).toMatchObject({ error: expect.stringMatching(message), height: undefined })
  },
  120_000,
)
