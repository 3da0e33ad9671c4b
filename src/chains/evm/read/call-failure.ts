import { BadAnswerError, DeadlineError, FirnError, JsonRpcError, UpstreamUnavailableError } from '../../../errors.ts'

/** The upstreams no longer agree with the first answer's block: everything must be read again. */
export class BlockLostError extends BadAnswerError {}

/**
 * What a failed eth_call means for the next step. Nodes do not agree on codes here, so their texts decide:
 * - `too-much`: out of gas, answer or request too large, execution timed out: a smaller call may pass.
 * - `block-missing`: the pinned block is not (or no longer) known to the node that answered, or not to all that did.
 * - `refused`: the node does not run this kind of call; another method may pass.
 * - `transport`: nothing was learned about the question.
 */
export type CallFailure = 'too-much' | 'block-missing' | 'refused' | 'transport'

const RATE_TEXTS = /rate.?limit|too many requests|capacity|credits|quota/i
const BLOCK_TEXTS =
  /(header|block).{0,90}not found|unknown block|(could not|cannot) find (block|header)|unsupported block number|missing trie node|unfinalized|after last accepted|block.{0,20}out.?of.?range|historical state|state .{0,60}not available|required historical|no state (available|found for block)|(\d|0x[0-9a-f]+) could not be found|block with such an id|current blockchain height|unknown state|world state unavailable|personal token|pruned|old data not available|not yet available; safe latest|(block|header) does not exist|height in the future|future epoch|failed to load state at height/i
const SIZE_TEXTS =
  /out of gas|gas (limit|cap|required|allowance|too (low|high))|intrinsic gas|exceeds? .{0,30}gas|(init)?code ?size|contract ?size|above \d+ bytes|too (large|big|long)|(size|length|limit) .{0,30}exceed|exceed.{0,40}(size|length|limit|maximum)|time.?out|timed out|execution aborted|outofgas|\b413\b|answer (cut|stalled)|no answer in time/i

/** Nethermind puts the cause into `data`, beside a constant message; hex data is what a contract returned. */
const wordsOf = (error: Error): string => {
  const data = error instanceof JsonRpcError ? error.data : undefined
  return typeof data === 'string' && !data.startsWith('0x') ? `${error.message} ${data}` : error.message
}

/** The kind of an error of one eth_call. */
export function callFailure(error: unknown): CallFailure {
  if (!(error instanceof FirnError)) return 'transport'
  const text = wordsOf(error)
  if (error instanceof JsonRpcError) {
    if (RATE_TEXTS.test(text)) return 'transport'
    if (BLOCK_TEXTS.test(text)) return 'block-missing'
    return SIZE_TEXTS.test(text) ? 'too-much' : 'refused'
  }
  if (error instanceof BlockLostError) return 'block-missing'
  if (error instanceof BadAnswerError) return SIZE_TEXTS.test(text) ? 'too-much' : 'refused'
  if (error instanceof DeadlineError) return 'transport'
  if (error instanceof UpstreamUnavailableError && !RATE_TEXTS.test(text)) {
    if (BLOCK_TEXTS.test(text)) return 'block-missing'
    if (SIZE_TEXTS.test(text.replace(/connect timeout/gi, ''))) return 'too-much'
  }
  return 'transport'
}

/**
 * Whether a node has said that even the smallest call is too much for it. Silence, a cut answer or a busy node says
 * nothing about the token in question: leaving it out then would look as if it had been spent.
 */
export const isToldTooMuch = (error: unknown): boolean =>
  error instanceof JsonRpcError &&
  callFailure(error) === 'too-much' &&
  !/time.?out|timed out|aborted/i.test(wordsOf(error))

/** Whether a node may have refused this kind of call, which another node may run. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof JsonRpcError && callFailure(error) === 'refused' && !/revert/i.test(wordsOf(error))
