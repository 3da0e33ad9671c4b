import type { IdentityProbe } from '../../../../../upstream/index.ts'
import { resultOf } from '../../answers.ts'
import type { UpstreamLink } from './upstream-link.ts'

/** A node that takes longer to identify its network is not used, milliseconds. */
const ANSWER_MS = 5_000

/**
 * Whether a node is of this network, as it says itself over the link: notifications do not name theirs. A node that
 * cannot tell is trusted, as over HTTP; undefined when the link is lost or nothing is answered.
 */
export async function isOnOwnChain(link: UpstreamLink, network: IdentityProbe): Promise<boolean | undefined> {
  const id = await ask(link, network)
  if (id === 'silent') return undefined
  if (id.value === undefined || !network.matches(id.value)) return id.value === undefined
  const genesis = network.genesis && (await ask(link, network.genesis))
  if (genesis === 'silent') return undefined
  return network.matches(id.value, genesis?.value)
}

type Question = Pick<IdentityProbe, 'rpc' | 'parse'> & { params?: unknown }

/** `value` is undefined when the node does not tell. */
function ask(link: UpstreamLink, { rpc = '', parse, params = [] }: Question) {
  return new Promise<{ value: string | undefined } | 'silent'>((resolve) => {
    const timer = setTimeout(resolve, ANSWER_MS, 'silent')
    link.call(rpc, JSON.stringify(params), (entry) => {
      clearTimeout(timer)
      resolve(entry ? { value: told(entry, parse) } : 'silent')
    })
  })
}

/** Undefined when the entry is not an answer. */
function told(entry: Buffer, parse: IdentityProbe['parse']): string | undefined {
  try {
    const result = resultOf(entry)
    return result && parse(JSON.parse(result.toString('utf8')))
  } catch {
    return undefined
  }
}
