import { kindOf, rawElements } from '../wire/go-json.ts'
import { blockNumber, type Decoder, decodeParams, looseCount, refuse } from './evm-arguments.ts'
import type { EvmChain } from './evm-chain.ts'
import { none } from './evm-network-methods.ts'
import { EvmError, type EvmMethods } from './evm-rpc.ts'

const MAX_PERCENTILES = 100

interface Paid {
  tip: bigint
  gas: bigint
}

function baseFee(chain: EvmChain, height: number): bigint {
  return BigInt(chain.at(height).block.baseFeePerGas ?? 0)
}

/** Tips of a block's transactions, lowest first. */
function paid(chain: EvmChain, height: number): Paid[] {
  const base = baseFee(chain, height)
  return chain
    .at(height)
    .receipts.map(({ effectiveGasPrice, gasUsed }) => ({ tip: BigInt(effectiveGasPrice) - base, gas: BigInt(gasUsed) }))
    .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
}

/** The median tip of the latest block with transactions stands for the node's estimate. */
function suggestedTip(chain: EvmChain): bigint {
  for (let height = chain.tip(); height > 0; height--) {
    const tips = paid(chain, height)
    const median = tips[Math.floor(tips.length / 2)]
    if (median !== undefined) return median.tip
  }
  return 0n
}

const numbers: Decoder<string> = (raw) => {
  if (raw !== 'null' && kindOf(raw) !== 'array') {
    return refuse(`json: cannot unmarshal ${kindOf(raw)} into Go value of type []float64`)
  }
  const wrong = (raw === 'null' ? [] : rawElements(raw)).find((item) => kindOf(item) !== 'number')
  return wrong === undefined ? raw : refuse(`json: cannot unmarshal ${kindOf(wrong)} into Go value of type float64`)
}

function checkPercentiles(raw: string): number[] {
  const percentiles = raw === 'null' ? [] : (JSON.parse(raw) as number[])
  if (percentiles.length > MAX_PERCENTILES) {
    throw new EvmError(-32000, `invalid reward percentile: over the query limit ${MAX_PERCENTILES}`)
  }
  for (const [index, value] of percentiles.entries()) {
    if (value < 0 || value > 100) throw new EvmError(-32000, `invalid reward percentile: ${value.toFixed(6)}`)
    const before = percentiles[index - 1]
    if (before !== undefined && before >= value) {
      throw new EvmError(
        -32000,
        `invalid reward percentile: #${index - 1}:${before.toFixed(6)} >= #${index}:${value.toFixed(6)}`,
      )
    }
  }
  return percentiles
}

function rewards(chain: EvmChain, height: number, percentiles: readonly number[]): string[] {
  const tips = paid(chain, height)
  const first = tips[0]
  if (first === undefined) return percentiles.map(() => '0x0')
  let index = 0
  let sum = first.gas
  return percentiles.map((percentile) => {
    const threshold = BigInt(Math.floor((Number(chain.at(height).block.gasUsed) * percentile) / 100))
    while (sum < threshold && index < tips.length - 1) sum += tips[++index]?.gas ?? 0n
    return `0x${(tips[index]?.tip ?? 0n).toString(16)}`
  })
}

function feeHistory(chain: EvmChain, params: readonly string[]): string {
  const [count, newest, percentilesRaw] = decodeParams(params, [looseCount, blockNumber, numbers], 3)
  if (count === 0n) return '{"oldestBlock":"0x0","gasUsedRatio":null}'
  const percentiles = checkPercentiles(percentilesRaw ?? 'null')
  // The pending block counts, and there is none.
  const blocks = Number(count ?? 1n) - (newest === 'pending' ? 1 : 0)
  if (blocks === 0) return '{"oldestBlock":"0x0","gasUsedRatio":null}'
  if (typeof newest === 'bigint' && newest > BigInt(chain.tip())) {
    throw new EvmError(-32000, `request beyond head block: requested ${newest}, head ${chain.tip()}`)
  }
  const last = chain.height(newest ?? 'latest')
  const oldest = Math.max(last - blocks + 1, 0)
  const heights = Array.from({ length: last - oldest + 1 }, (_, index) => oldest + index)
  const ratio = (height: number): number => {
    const { gasUsed, gasLimit } = chain.at(height).block
    return Number(gasUsed) / Number(gasLimit)
  }
  return JSON.stringify({
    oldestBlock: `0x${oldest.toString(16)}`,
    reward: percentiles.length === 0 ? undefined : heights.map((height) => rewards(chain, height, percentiles)),
    baseFeePerGas: heights.map((height) => `0x${baseFee(chain, height).toString(16)}`),
    gasUsedRatio: heights.map(ratio),
  })
}

/** Fees as the recorded blocks show them. */
export function evmFeeMethods(chain: EvmChain, network: 'C' | 'L1'): EvmMethods {
  const hex = (value: bigint): string => `0x${value.toString(16)}`
  const base = (): bigint => baseFee(chain, chain.tip())
  const suggest = (percent: bigint): object => {
    const tip = (suggestedTip(chain) * percent) / 100n
    return { maxPriorityFeePerGas: hex(tip), maxFeePerGas: hex(2n * base() + tip) }
  }
  const options: EvmMethods = {
    eth_suggestPriceOptions: none(() =>
      JSON.stringify({ slow: suggest(95n), normal: suggest(100n), fast: suggest(105n) }),
    ),
  }
  return {
    eth_baseFee: none(() => JSON.stringify(hex(base()))),
    eth_maxPriorityFeePerGas: none(() => JSON.stringify(hex(suggestedTip(chain)))),
    eth_gasPrice: none(() => JSON.stringify(hex(base() + suggestedTip(chain)))),
    eth_feeHistory: (params) => feeHistory(chain, params),
    ...(network === 'C' ? options : {}),
  }
}
