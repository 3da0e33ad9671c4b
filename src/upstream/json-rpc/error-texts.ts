/**
 * What servers, and the providers in front of them, say in JSON-RPC errors. There is no list of codes: each provider
 * has its own, and uses one code for several things, so the text decides.
 */

/** Too many calls, or more than the plan allows. */
const RATE =
  /rate.?limit|\brps limit|too many (requests?|calls|connections)\b|throttl|(request|requests|call|calls|daily|monthly|usage|credit|credits|capacity|throughput|quota)[a-z ]{0,20}(limit|exceeded|reached)|limit exceeded|requests? per (second|minute|day)|compute units|quota|maximum (qps|cups|rps|(allowed )?number of requests)|not enough cups|concurrent requests capacity/i
/** The answer or the question is too large: the caller has to ask for less, and the upstream is not to blame. */
const SIZE = /(response|result|request|payload|body|batch|log|query)s?.{0,20}(size|too (large|big|many))|size limit/i
/** Other limits than on calls: blocks per question or behind the tip, pending transactions, call depth. */
const OTHER_LIMIT = /\brange\b|\baccount limit\b|\bcall depth\b|\bhistorical limit\b/i
/** The upstream has not seen the requested block. */
const BEHIND =
  /cannot query unfinalized data|requested .{0,120}after last accepted|(header (for hash )?|block (hash )?)not found|\b(block|header) (with (number|hash) )?#?(\d{1,20}|(0x)?[0-9a-f]{64})(\([0-9a-f]+\))? not found|(could not|cannot) find (block|header)|unsupported block number|block is out of range|block not available|node is (behind|unhealthy)|minimum context slot has not been reached|block status not yet available|unknown block( 0x[0-9a-f]{64})?$|after last accepted block|^(\d{1,20}|0x[0-9a-f]{1,64}) could not be found$|block with such an id doesn't exist|block result not found|less than or equal to the current blockchain height|not yet available; safe latest|\b(block|header) does not exist|height in the future|\bfuture epoch\b/i
/** The upstream does not have, not yet or no longer, the state or history of a block. */
const WITHOUT =
  /missing trie node|historical state|histories haven't been fully indexed|indexing is in progress|state .{0,70}not available|no state (available|found for block)|unknown state|(state|block|height|history) .{0,30}\bpruned|\bpruned (state|history)|\bhistory has expired|\bold data not available|world state unavailable|failed to load state at height|^failed to get logs for block #\d/i
/** The upstream is in trouble itself: another may answer. */
const TROUBLE =
  /^internal (server |json-rpc )?error\.?$|temporary internal error|service (temporarily )?unavailable|resource unavailable|request time(d )?-?out|^timeout$|server is busy|unable to (complete|perform) (the )?request|cannot fulfill request|can't route your request|no (backends?|servers?|nodes?|providers?|upstreams?|pairings) (is |are )?(currently )?(available|healthy)|backend (offline|is over capacity)|try again later/i
/** Nodes of AvalancheGo that are shutting down still answer, with their database's error behind what they were doing. */
const SHUT = /(?:^|: )(closed)$/
/** The upstream grants us no access: no key, a disabled key, a discontinued service. */
const CLOSED =
  /^unauthori[sz]ed(:|\.?$)|must be authenticated|^authorization failed|access forbidden|app is inactive|\bapi is no longer available|chain is not available|ip or provider is blocked|(api|access) key (is )?(not allowed|disabled|invalid|inactive|missing|required|expired)|(invalid|missing|unknown|expired) (api|access) key|project id settings|invalid project id|\btoken is invalid/i
/** The upstream would answer, but not this question on our plan. */
const RESTRICTED =
  /\brequest blocked|blocked parameter|personal token|\b(free|paid|current) ?(tier|plan)|upgrade your plan|dedicated (full )?node/i

/** The words by which an error refuses a call for the number of calls, not for its content; undefined = it does not. */
export const rateWords = (message: string): string | undefined => {
  const aboutSize = /\bgas\b/i.test(message) || (SIZE.test(message) && !/requests/i.test(message))
  return aboutSize || OTHER_LIMIT.test(message) ? undefined : RATE.exec(message)?.[0]
}

/** The words by which an error says that the whole server is closed to us; undefined = it does not. */
export const closedWords = (message: string): string | undefined => CLOSED.exec(message)?.[0]

/** The word by which an error says that the server is shutting down; undefined = it does not. */
export const shutWord = (message: string): string | undefined => SHUT.exec(message)?.[1]

/** Whether an error is about the size of the question or answer: gas, bytes, results. */
export const speaksOfSize = (message: string): boolean => /\bgas\b/i.test(message) || SIZE.test(message)

/** `closed`: the whole server is closed to us. `restricted`: our plan does not include the question. */
export const accessOf = (message: string): 'closed' | 'restricted' | undefined => {
  if (CLOSED.test(message)) return 'closed'
  return RESTRICTED.test(message) ? 'restricted' : undefined
}

export const speaksOfMissingBlock = (message: string): boolean => BEHIND.test(message)

export const speaksOfMissingState = (message: string): boolean => WITHOUT.test(message)

export const speaksOfTrouble = (message: string): boolean => TROUBLE.test(message) || shutWord(message) !== undefined

/** For a refusal that is not a JSON-RPC error. */
export const mentionsRate = (text: string): boolean => RATE.test(text)
