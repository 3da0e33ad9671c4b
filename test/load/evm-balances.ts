/**
 * 50 addresses × 200 tokens on one chain: upstream body bytes and wall time of our balance source against viem's
 * multicall, both through one counting proxy to one anvil. viem runs twice, as it comes and with 64 kB of call data in
 * one aggregate (all in one is more than nodes accept); ratios are against the better of the two. Run: npm run bench:tokens; bench:balances does, too
 */
import { createPublicClient, defineChain, erc20Abi, type Hex, http, parseAbi } from 'viem'
import { createEvmBalanceSource } from '../../src/chains/evm/index.ts'
import { createUpstreamPool, DEFAULT_LIMITS } from '../../src/upstream/index.ts'
import { type Anvil, startAnvil } from '../support/evm/anvil.ts'
import { callData } from '../support/evm/contracts.ts'
import { installMulticall3 } from '../support/evm/multicall3.ts'
import { median, ratioLine } from './balances/figures.ts'
import { startCountingProxy } from './evm-balances/counting-proxy.ts'

const rounds = 7
const chainId = 43_114
const address = (index: number, first: string): Hex => `0x${first}${index.toString(16).padStart(39, '0')}`
const owners = Array.from({ length: 50 }, (_, index) => address(index + 1, 'a'))
const tokens = Array.from({ length: 200 }, (_, index) => address(index + 1, 'c'))
const multicallAbi = parseAbi(['function getEthBalance(address) view returns (uint256)'])

/** One balance in twenty is not zero: what wallets see of a token list. */
async function prepare(anvil: Anvil): Promise<void> {
  const model = await anvil.deploy('LabToken', ['Lab', 'LAB', 18, anvil.accounts[0]])
  const code = await anvil.rpc('eth_getCode', [model, 'latest'])
  for (const token of tokens) await anvil.rpc('anvil_setCode', [token, code])
  for (const [index, owner] of owners.entries()) {
    await anvil.rpc('anvil_setBalance', [owner, '0xde0b6b3a7640000'])
    for (let n = 0; n < 10; n++) {
      const data = callData('LabToken', 'mint', [owner, 10n ** 18n + BigInt(n)])
      await anvil.send({ to: tokens[(index * 7 + n * 19) % tokens.length] ?? '', data })
    }
  }
}

interface Figures {
  ms: number
  bytes: number
  requests: number
  sum: bigint
}

const anvil = await startAnvil({ chainId })
const proxy = await startCountingProxy(anvil.url)
const pool = createUpstreamPool('bench', [{ url: proxy.url }], DEFAULT_LIMITS)
try {
  const multicall = (await installMulticall3(anvil)) as Hex
  await prepare(anvil)
  const source = createEvmBalanceSource({
    caip2Id: `eip155:${chainId}`,
    native: { name: 'Avalanche', symbol: 'AVAX', decimals: 18, internalId: 'NATIVE-avax' },
    pool,
    tokens: { tokens: () => list },
  })
  const list = tokens.map((token) => ({ address: token, name: 'Lab', symbol: 'LAB', decimals: 18 }))
  const ours = async (): Promise<bigint> => {
    const context = { signal: new AbortController().signal, deadline: Date.now() + 60_000 }
    const answer = await source.readBalances(
      owners.map((id) => ({ id })),
      context,
    )
    let sum = 0n
    for (const outcome of answer.values()) {
      if (!outcome.ok) throw outcome.error
      sum += outcome.value.native
      for (const { balance } of outcome.value.tokens) sum += balance
    }
    return sum
  }

  const chain = defineChain({
    id: chainId,
    name: 'bench',
    nativeCurrency: { name: 'A', symbol: 'A', decimals: 18 },
    rpcUrls: { default: { http: [proxy.url] } },
    contracts: { multicall3: { address: multicall } },
  })
  const client = createPublicClient({ chain, transport: http(proxy.url) })
  const contracts = owners.flatMap((owner) => [
    { address: multicall, abi: multicallAbi, functionName: 'getEthBalance' as const, args: [owner] as const },
    ...tokens.map((token) => ({
      address: token,
      abi: erc20Abi,
      functionName: 'balanceOf' as const,
      args: [owner] as const,
    })),
  ])
  const viem = async (batchSize?: number): Promise<bigint> => {
    const results = await client.multicall({ contracts, ...(batchSize !== undefined && { batchSize }) })
    let sum = 0n
    for (const result of results) {
      if (result.status !== 'success') throw result.error
      sum += result.result
    }
    return sum
  }

  const measure = async (run: () => Promise<bigint>): Promise<Figures> => {
    proxy.take()
    const start = performance.now()
    const sum = await run()
    return { ms: performance.now() - start, ...proxy.take(), sum }
  }
  const runs = { ours, 'viem default': () => viem(), 'viem 64 kB chunks': () => viem(65_536) }
  const figures = new Map<string, Figures[]>(Object.keys(runs).map((name) => [name, []]))
  // The first round warms up every path and is not counted.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(runs)) {
      const figure = await measure(run)
      if (round > 0) figures.get(name)?.push(figure)
    }
  }
  const sums = new Set([...figures.values()].flat().map(({ sum }) => sum))
  if (sums.size !== 1)
    throw new Error(`the three disagree: ${[...figures].map(([name, all]) => `${name} ${all.map(({ sum }) => sum)}`)}`)
  const summary = [...figures].map(([name, all]) => ({
    name,
    ms: median(all.map(({ ms }) => ms)),
    bytes: median(all.map(({ bytes }) => bytes)),
    requests: median(all.map(({ requests }) => requests)),
  }))
  for (const { name, ms, bytes, requests } of summary) {
    console.log(
      `${name.padEnd(20)} ${ms.toFixed(1).padStart(8)} ms ${String(bytes).padStart(10)} bytes ${requests} requests`,
    )
  }
  const [mine, ...theirs] = summary
  const best = (pick: (row: (typeof summary)[number]) => number) => Math.min(...theirs.map(pick))
  if (mine) {
    const bytesRatio = best(({ bytes }) => bytes) / mine.bytes
    const timeRatio = best(({ ms }) => ms) / mine.ms
    console.log(ratioLine('evm-balances-fewer-bytes', bytesRatio, '>= 5'))
    console.log(ratioLine('evm-balances-faster', timeRatio, '>= 3'))
  }
} finally {
  await pool.close()
  await proxy.stop()
  await anvil.stop()
}
