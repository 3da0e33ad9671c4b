import { kindOf, member } from '../wire/go-json.ts'
import { NotRecordedError } from '../wire/gorilla-rpc.ts'
import { address, anything, type BlockReference, blockReference, bytesText, decodeParams } from './evm-arguments.ts'
import { blockOverrides, callObject, stateOverride } from './evm-call-arguments.ts'
import type { EvmChain } from './evm-chain.ts'
import { EvmError, type EvmMethods } from './evm-rpc.ts'
import type { EvmState } from './evm-state.ts'
import type { RecordedCalls } from './recorded-calls.ts'

interface Deps {
  chain: EvmChain
  /** Undefined where no traces were recorded. */
  state: EvmState | undefined
  calls: RecordedCalls
  /** Native balances known only for the end of the chain. */
  finalBalance(account: string): bigint | undefined
}

/** What the recorded node gave a call at most. */
const GAS_CAP = 50_000_000
/** Any recorded read takes less, if it does not take all. */
const READ_GAS = 500_000

/** What a node says about a state it does not have any more. */
function missingState(): NotRecordedError {
  return new NotRecordedError(
    'missing trie node 0000000000000000000000000000000000000000000000000000000000000000 (path ) state is not available, not found',
  )
}

/** `name()`, `symbol()`, `decimals()`: whoever makes an index asks them of each contract, and again where the state is said to be missing. */
const NAMES = /^0x(06fdde03|95d89b41|313ce567)$/

const unknownName = (): NotRecordedError =>
  new NotRecordedError('the recordings do not tell what the contract is called')

function heightOf(chain: EvmChain, reference: BlockReference): number {
  const height = chain.resolve(reference)
  if (height === undefined) throw new EvmError(-32000, 'header for hash not found')
  return height
}

/** Null is a pointer to nothing: the newest block. */
const orLatest = (raw: string | undefined, reference: BlockReference): BlockReference =>
  raw === undefined || raw === 'null' ? { number: 'latest' } : reference

function textMember(object: string, ...names: string[]): string {
  for (const name of names) {
    const raw = kindOf(object) === 'object' ? member(object, name) : undefined
    if (raw !== undefined && kindOf(raw) === 'string') return String(JSON.parse(raw)).toLowerCase()
  }
  return ''
}

function call({ chain, state, calls }: Deps, params: readonly string[]): string {
  const [transaction, reference, overrides] = decodeParams(
    params,
    [callObject, blockReference, stateOverride, blockOverrides],
    1,
  )
  const height = heightOf(chain, orLatest(params[1], reference))
  const object = transaction ?? '{}'
  const to = textMember(object, 'to')
  const plainRead =
    (overrides ?? 'null') === 'null' &&
    ['value', 'gasPrice'].every((name) => textMember(object, name) === '') &&
    Number(textMember(object, 'gas') || GAS_CAP) >= READ_GAS
  if (to !== '' && plainRead && state?.code(to, height) === '0x' && !/^0x0[12]0{36}/.test(to)) return '"0x"'
  const outcome = plainRead && height >= calls.since ? calls.find(to, textMember(object, 'input', 'data')) : undefined
  if (outcome === undefined) throw NAMES.test(textMember(object, 'input', 'data')) ? unknownName() : missingState()
  if ('error' in outcome) throw new EvmError(outcome.code, outcome.error, outcome.data)
  return JSON.stringify(outcome.data)
}

/** Reads of accounts and contracts, as far as the recordings determine them. */
export function evmStateMethods(deps: Deps): EvmMethods {
  const { chain, state } = deps
  const account = (params: readonly string[]): { address: string; height: number } => {
    const [who, reference] = decodeParams(params, [address, blockReference], 2)
    return { address: who ?? '', height: heightOf(chain, reference) }
  }
  return {
    eth_getBalance(params) {
      const { address: who, height } = account(params)
      const final = height >= deps.calls.since ? deps.finalBalance(who) : undefined
      const balance = state === undefined ? final : state.balance(who, height)
      if (balance === undefined) throw missingState()
      return `"0x${balance.toString(16)}"`
    },
    eth_getTransactionCount(params) {
      const { address: who, height } = account(params)
      if (state === undefined) throw missingState()
      return `"0x${state.nonce(who, height).toString(16)}"`
    },
    eth_getCode(params) {
      const { address: who, height } = account(params)
      if (state === undefined) throw missingState()
      return JSON.stringify(state.code(who, height))
    },
    eth_call: (params) => call(deps, params),
  }
}

/**
 * Methods that execute or prove something: their arguments are checked, their results are only recorded facts.
 * `notRecorded` throws.
 */
export function evmExecutionMethods(chain: EvmChain, notRecorded: () => never): EvmMethods {
  /** The call and where: [call, block, overrides]. */
  const execution = (params: readonly string[]): string => {
    const [, reference] = decodeParams(params, [callObject, blockReference, stateOverride, blockOverrides], 1)
    heightOf(chain, orLatest(params[1], reference))
    return notRecorded()
  }
  const ofAccount = (params: readonly string[]): string => {
    const [, , reference] = decodeParams(params, [address, anything, blockReference], 3)
    heightOf(chain, reference)
    return notRecorded()
  }
  const ofCall = (params: readonly string[]): string => {
    decodeParams(params, [callObject], 1)
    return notRecorded()
  }
  return {
    eth_getStorageAt: ofAccount,
    eth_getProof: ofAccount,
    eth_estimateGas: execution,
    eth_callDetailed: execution,
    eth_createAccessList: execution,
    eth_sendTransaction: ofCall,
    eth_signTransaction: ofCall,
    eth_fillTransaction: ofCall,
    eth_sign(params) {
      decodeParams(params, [address, bytesText], 2)
      throw new EvmError(-32000, 'unknown account')
    },
  }
}
