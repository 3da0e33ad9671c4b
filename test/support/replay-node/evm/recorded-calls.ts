import type { Recordings } from '../recorded/recordings.ts'

export interface CallError {
  error: string
  code: number
  data?: string
}

/** What a read of a contract gives: return data, or an error. */
export type CallOutcome = { data: string } | CallError

/** Reads of contracts whose outcome at the end of the chain is recorded. */
export interface RecordedCalls {
  /** Height from which the recorded outcomes hold. */
  readonly since: number
  /** Undefined when it is not recorded. `to` and `data` in lower case. */
  find(to: string, data: string): CallOutcome | undefined
}

interface ManifestLine {
  t: string
  what?: string
  address?: string
  answers?: Record<string, string | CallError>
  token?: string
  holder?: string
  owner?: string
  spender?: string
  tokenId?: string
  tokenURI?: unknown
  balance?: unknown
  /** What balanceOf gives when it does not give the balance. */
  balanceOf?: CallError
  value?: string
  fromLogs?: string
  endBlock?: number
}

/** Selectors of the reads the recordings asked each contract; `i…` are supportsInterface of the named standards. */
const SUPPORTS = '0x01ffc9a7'
const ANSWERED: Record<string, string> = {
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
  totalSupply: '0x18160ddd',
  i165: `${SUPPORTS}01ffc9a7`,
  i721: `${SUPPORTS}80ac58cd`,
  i721e: `${SUPPORTS}780e9d63`,
  i721m: `${SUPPORTS}5b5e139f`,
  i1155: `${SUPPORTS}d9b67a26`,
  iffff: `${SUPPORTS}ffffffff`,
}
const BALANCE_OF = '0x70a08231'
const BALANCE_OF_ID = '0x00fdd58e'
const OWNER_OF = '0x6352211e'
const TOKEN_URI = '0xc87b56dd'
const ALLOWANCE = '0xdd62ed3e'

const word = (value: bigint | string): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, '0')

const decimal = (value: unknown): bigint | undefined =>
  typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : undefined

const textResult = (text: string): string => {
  const bytes = Buffer.from(text, 'utf8')
  return word(32n) + word(BigInt(bytes.length)) + bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0')
}

/** A revert with a reason carries it as `Error(string)` in its data, which the manifest leaves out. */
function withReason(outcome: CallError): CallError {
  const reason = /^execution reverted: (.*)$/s.exec(outcome.error)?.[1]
  if (outcome.code !== 3 || outcome.data !== undefined || reason === undefined) return outcome
  return { ...outcome, data: `0x08c379a0${textResult(reason)}` }
}

class Outcomes {
  readonly known = new Map<string, CallOutcome>()
  /** Tokens whose every recorded balance is what their logs add up to: who is not listed holds nothing. */
  readonly honest = new Map<string, boolean>()
  /** Tokens whose balanceOf fails, whoever is asked about. */
  readonly failing = new Map<string, CallOutcome>()
  since = Number.POSITIVE_INFINITY

  put(to: string, data: string, outcome: CallOutcome): void {
    this.known.set(`${to.toLowerCase()}${data}`, outcome)
  }

  contract({ address = '', answers = {} }: ManifestLine): void {
    for (const [name, answer] of Object.entries(answers)) {
      const selector = ANSWERED[name]
      if (selector === undefined) continue
      const data = selector.length > 10 ? selector.padEnd(74, '0') : selector
      this.put(address, data, typeof answer === 'string' ? { data: answer } : withReason(answer))
    }
  }

  token({ token = '', holder = '0x', fromLogs, balanceOf }: ManifestLine, balance: bigint | undefined): void {
    const name = token.toLowerCase()
    if (balanceOf !== undefined) {
      this.failing.set(name, withReason(balanceOf))
      return
    }
    const honest = balance !== undefined && fromLogs === String(balance)
    this.honest.set(name, honest && (this.honest.get(name) ?? true))
    if (balance !== undefined) this.put(token, BALANCE_OF + word(holder), { data: `0x${word(balance)}` })
  }

  /** Long ones are cut in the manifest, with their length behind. */
  uri(token: string, id: string, recorded: unknown): void {
    if (typeof recorded === 'string') {
      if (!/…\(\d+\)$/.test(recorded)) this.put(token, TOKEN_URI + id, { data: `0x${textResult(recorded)}` })
    } else if (recorded !== null && typeof recorded === 'object') {
      this.put(token, TOKEN_URI + id, { code: 3, ...(recorded as Omit<CallError, 'code'>) })
    }
  }

  final(line: ManifestLine): void {
    const { token = '', what } = line
    const balance = decimal(line.balance)
    const id = word(decimal(line.tokenId) ?? 0n)
    if (what === 'erc20') {
      this.token(line, balance)
    } else if (what === 'erc721' && /^0x[0-9a-fA-F]{40}$/.test(line.owner ?? '')) {
      this.put(token, OWNER_OF + id, { data: `0x${word(line.owner ?? '0x')}` })
      this.uri(token, id, line.tokenURI)
    } else if (what === 'erc1155' && balance !== undefined) {
      this.put(token, BALANCE_OF_ID + word(line.holder ?? '0x') + id, { data: `0x${word(balance)}` })
    } else if (what === 'allowance') {
      const data = ALLOWANCE + word(line.owner ?? '0x') + word(line.spender ?? '0x')
      this.put(token, data, { data: `0x${word(decimal(line.value) ?? 0n)}` })
    }
  }
}

function readOutcomes(recordings: Recordings, file: string): Outcomes {
  const outcomes = new Outcomes()
  for (const text of recordings.lines(file)) {
    const line = JSON.parse(text) as ManifestLine
    if (line.t === 'contract') outcomes.contract(line)
    else if (line.t === 'final') outcomes.final(line)
    else if (line.t === 'summary' && line.endBlock !== undefined) outcomes.since = line.endBlock
  }
  return outcomes
}

/** `file` is the chain's manifest-evm. */
export function createRecordedCalls(recordings: Recordings, file: string): RecordedCalls {
  let loaded: Outcomes | undefined
  const outcomes = (): Outcomes => {
    loaded ??= readOutcomes(recordings, file)
    return loaded
  }
  return {
    get since() {
      return outcomes().since
    },
    find(to, data) {
      const known = outcomes().known.get(`${to}${data}`)
      if (known !== undefined) return known
      if (data.length !== 74 || !data.startsWith(BALANCE_OF)) return undefined
      return outcomes().failing.get(to) ?? (outcomes().honest.get(to) === true ? { data: `0x${word(0n)}` } : undefined)
    },
  }
}
