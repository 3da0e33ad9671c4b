import { eachElement, eachMember, kindOf } from '../json/spans.ts'
import { decodeString, foldName } from '../json/strings.ts'
import { skipSpace } from '../json/validate.ts'
import { MOST_PARAMS } from './call.ts'
import { errorOf } from './judge.ts'

/** Returns the blockchain ID of an alias that was created here (`admin.aliasChain`); undefined for other names. */
type AliasedChain = (alias: string) => string | undefined

/** Params with blockchain IDs in place of aliases. */
interface NamedByIds {
  params: Buffer
  /** Rewrites an error of the node to use the caller's names; other answers are unchanged. */
  inOwnNames(answer: Buffer): Buffer
}

/** How a member names chains: as a whole, or before the first hyphen of an address. */
type Naming = 'chain' | 'address'

const UTXOS: Readonly<Record<string, Naming>> = { sourcechain: 'chain', addresses: 'address', startindex: 'address' }
const ADDRESSES: Readonly<Record<string, Naming>> = { addresses: 'address' }
const ADDRESS: Readonly<Record<string, Naming>> = { address: 'address' }

/** Members of params in which a node accepts an alias of a chain, by lower-case name. */
const NAMING: Readonly<Record<string, Readonly<Record<string, Naming>>>> = {
  'platform.getBlockchainStatus': { blockchainid: 'chain' },
  'platform.getUTXOs': UTXOS,
  'platform.getBalance': ADDRESSES,
  'platform.getStake': ADDRESSES,
  'avm.getUTXOs': UTXOS,
  'avm.getBalance': ADDRESS,
  'avm.getAllBalances': ADDRESS,
  'avm.getAddressTxs': ADDRESS,
  'avax.getUTXOs': UTXOS,
}

const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

interface Edit {
  from: number
  to: number
  text: string
}

/** Replacement for one text; undefined = it names no chain by one of our aliases. */
function byId(text: string, naming: Naming, aliased: AliasedChain): string | undefined {
  const hyphen = naming === 'address' ? text.indexOf('-') : text.length
  // An empty name means the chain that was called, even if an alias is the empty text.
  const isNamed = naming === 'address' ? hyphen >= 0 : hyphen > 0
  const id = isNamed ? aliased(text.slice(0, hyphen)) : undefined
  return id === undefined ? undefined : id + text.slice(hyphen)
}

/** The texts in a member: the member itself, those of a list, or the address where a page starts. */
function eachText(params: Buffer, from: number, to: number, visit: (from: number, to: number) => void): void {
  const kind = kindOf(params, from)
  if (kind === 'string') visit(from, to)
  else if (kind === 'array')
    eachElement(params, from, (at, end) => {
      if (kindOf(params, at) === 'string') visit(at, end)
      return true
    })
  else if (kind === 'object')
    eachMember(params, from, (keyFrom, keyTo, at, end) => {
      const isAddress = foldName(decodeString(params, keyFrom, keyTo)) === 'address'
      if (isAddress && kindOf(params, at) === 'string') visit(at, end)
    })
}

function editsOf(params: Buffer, members: Readonly<Record<string, Naming>>, aliased: AliasedChain): Edit[] {
  let at = skipSpace(params, 0)
  eachElement(params, at, (from) => {
    at = from
    return false
  })
  const edits: Edit[] = []
  eachMember(params, at, (keyFrom, keyTo, from, to) => {
    const name = foldName(decodeString(params, keyFrom, keyTo))
    const naming = Object.hasOwn(members, name) ? members[name] : undefined
    if (naming === undefined) return
    eachText(params, from, to, (start, end) => {
      const text = byId(decodeString(params, start, end), naming, aliased)
      if (text !== undefined) edits.push({ from: start, to: end, text: JSON.stringify(text) })
    })
  })
  return edits
}

function edited(params: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = []
  let kept = 0
  for (const { from, to, text } of edits) {
    parts.push(params.subarray(kept, from), Buffer.from(text))
    kept = to
  }
  return Buffer.concat([...parts, params.subarray(kept)])
}

/**
 * An alias may replace the blockchain ID anywhere (spec 2, `admin.aliasChain`), but only this server knows the aliases
 * that were created here: nodes are asked by ID. Undefined = nothing to replace, the call is sent unchanged.
 */
export function namedByIds(
  method: string | undefined,
  params: Buffer | undefined,
  aliased: AliasedChain | undefined,
): NamedByIds | undefined {
  if (aliased === undefined) return undefined
  const members = method !== undefined && Object.hasOwn(NAMING, method) ? NAMING[method] : undefined
  if (members === undefined || params === undefined || params.length > MOST_PARAMS) return undefined
  let edits: Edit[]
  try {
    edits = editsOf(params, members, aliased)
  } catch {
    // Malformed text is left for the node to refuse.
    return undefined
  }
  if (edits.length === 0) return undefined
  return {
    params: edited(params, edits),
    inOwnNames: (answer) => {
      if (errorOf(answer) === undefined) return answer
      let words = answer.toString('latin1')
      for (const { from, to, text } of edits)
        words = words.replaceAll(latin1(text).slice(1, -1), () => params.toString('latin1', from + 1, to - 1))
      return Buffer.from(words, 'latin1')
    },
  }
}
