/**
 * What servers, and the providers before them, say in JSON-RPC errors. There is no list of codes: each provider has its
 * own, and uses them for several things, so that the words decide.
 */

/** Too many calls, or too much of what a plan allows. */
const RATE =
  /rate.?limit|\brps limit|too many (requests?|calls|connections)\b|throttl|(request|requests|call|calls|daily|monthly|usage|credit|credits|capacity|throughput|quota)[a-z ]{0,20}(limit|exceeded|reached)|limit exceeded|requests? per (second|minute|day)|compute units|quota|maximum (qps|cups|rps|(allowed )?number of requests)|not enough cups|concurrent requests capacity/i
/** The answer or the question is too large: the caller has to ask for less, this upstream is not to blame. */
const SIZE = /(response|result|request|payload|body|batch|log|query)s?.{0,20}(size|too (large|big|many))|size limit/i
/** A limit of something else than calls: blocks of one question or behind the tip, transactions that wait, calls in calls. */
const OTHER_LIMIT = /\brange\b|\baccount limit\b|\bcall depth\b|\bhistorical limit\b/i
/** It has not seen the block that was asked for. */
const BEHIND =
  /cannot query unfinalized data|requested .{0,120}after last accepted|(header (for hash )?|block (hash )?)not found|\b(block|header) (with (number|hash) )?#?(\d{1,20}|(0x)?[0-9a-f]{64})(\([0-9a-f]+\))? not found|(could not|cannot) find (block|header)|unsupported block number|block is out of range|block not available|node is (behind|unhealthy)|minimum context slot has not been reached|block status not yet available|unknown block( 0x[0-9a-f]{64})?$|after last accepted block|^(\d{1,20}|0x[0-9a-f]{1,64}) could not be found$|block with such an id doesn't exist|block result not found|less than or equal to the current blockchain height|not yet available; safe latest|\b(block|header) does not exist|height in the future|\bfuture epoch\b/i
/** It has not, not yet or no longer, the state or the history of a block. */
const WITHOUT =
  /missing trie node|historical state|histories haven't been fully indexed|indexing is in progress|state .{0,70}not available|no state (available|found for block)|unknown state|(state|block|height|history) .{0,30}\bpruned|\bpruned (state|history)|\bhistory has expired|\bold data not available|world state unavailable|failed to load state at height/i
/** Its own trouble: another server may answer. */
const TROUBLE =
  /^internal (server |json-rpc )?error\.?$|temporary internal error|service (temporarily )?unavailable|resource unavailable|request time(d )?-?out|^timeout$|server is busy|unable to (complete|perform) (the )?request|cannot fulfill request|can't route your request|no (backends?|servers?|nodes?|providers?|upstreams?|pairings) (is |are )?(currently )?(available|healthy)|backend (offline|is over capacity)|try again later/i
/** It lets us in nowhere: no key, one that was switched off, an offer that has ended. */
const CLOSED =
  /^unauthori[sz]ed(:|\.?$)|must be authenticated|^authorization failed|access forbidden|app is inactive|\bapi is no longer available|chain is not available|ip or provider is blocked|(api|access) key (is )?(not allowed|disabled|invalid|inactive|missing|required|expired)|(invalid|missing|unknown|expired) (api|access) key|project id settings|invalid project id|\btoken is invalid/i
/** It would answer, but not this, and not for what we pay. */
const RESTRICTED =
  /\brequest blocked|blocked parameter|personal token|\b(free|paid|current) ?(tier|plan)|upgrade your plan|dedicated (full )?node/i

/** The words with which an error turns a call away for the number of calls, not for what it asks; undefined = it does not. */
export const rateWords = (message: string): string | undefined => {
  const aboutSize = /\bgas\b/i.test(message) || (SIZE.test(message) && !/requests/i.test(message))
  return aboutSize || OTHER_LIMIT.test(message) ? undefined : RATE.exec(message)?.[0]
}

/** The words with which an error says that the whole server is closed to us; undefined = it does not. */
export const closedWords = (message: string): string | undefined => CLOSED.exec(message)?.[0]

/** Whether an error is about how much was asked for: gas, bytes, results. */
export const speaksOfSize = (message: string): boolean => /\bgas\b/i.test(message) || SIZE.test(message)

/** `closed`: the whole server is, to us. `restricted`: the question is not for our plan. */
export const accessOf = (message: string): 'closed' | 'restricted' | undefined => {
  if (CLOSED.test(message)) return 'closed'
  return RESTRICTED.test(message) ? 'restricted' : undefined
}

export const speaksOfMissingBlock = (message: string): boolean => BEHIND.test(message)

export const speaksOfMissingState = (message: string): boolean => WITHOUT.test(message)

export const speaksOfTrouble = (message: string): boolean => TROUBLE.test(message)

/** The words of a refusal that is no JSON-RPC error. */
export const mentionsRate = (text: string): boolean => RATE.test(text)
