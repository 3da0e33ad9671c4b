import { recordOf } from '../../../../lib/json/json-record.ts'
import { steadyNow } from '../../../../lib/steady-clock.ts'
import type { Endpoint } from '../../routes/endpoint.ts'
import type { ForwardCall } from '../call.ts'
import type { Judge } from '../judge.ts'
import { isNoSuchThing } from './no-such-thing.ts'
import type { Member, NodeGroup } from './node-pools.ts'

/** Knows which nodes have an index with a gap (`index-allow-incomplete`): they number containers differently. */
export interface IndexGaps {
  /** A judge that rejects answers of such nodes, also while the others are away; undefined = nothing to find out. */
  judgeOf(call: ForwardCall, group: NodeGroup, judge: Judge): Promise<Judge> | undefined
}

/** Time after which indexes are compared again, milliseconds: longer if all of them could be compared. */
const LONG_MS = 60_000
const SHORT_MS = 5_000
/** How long a call waits for one question to a node, milliseconds. */
const WAIT_MS = 1_000

interface Last {
  member: Member
  id: string
  index: bigint
}

interface Compared {
  hosts: ReadonlySet<string>
  /** Every node could be compared: none was silent, or ahead of the one with the most containers. */
  isComplete: boolean
}

interface Known extends Compared {
  at: number
}

const ask = async ({ pool, path }: Member, endpoint: Endpoint, method: string, params: object) => {
  const options = { batch: false, deadline: Date.now() + WAIT_MS }
  return recordOf(await pool.rpc<unknown>(path(endpoint), method, params, options), method)
}

/** Undefined when a node has no index, an empty one, or does not answer. */
async function lastOf(member: Member, endpoint: Endpoint): Promise<Last | undefined> {
  try {
    const { id, index } = await ask(member, endpoint, 'index.getLastAccepted', { encoding: 'hex' })
    return { member, id: String(id), index: BigInt(String(index)) }
  } catch {
    return undefined
  }
}

/** Whether the node with the most containers has this one at another index; undefined if it does not have it yet. */
async function isElsewhere(most: Last, { id, index }: Last, endpoint: Endpoint): Promise<boolean | undefined> {
  try {
    const found = await ask(most.member, endpoint, 'index.getIndex', { id, encoding: 'hex' })
    return BigInt(String(found['index'])) !== index
  } catch {
    return undefined
  }
}

async function gapsIn(members: readonly Member[], endpoint: Endpoint): Promise<Compared> {
  const told = await Promise.all(members.map((member) => lastOf(member, endpoint)))
  const lasts = told.filter((last) => last !== undefined)
  const most = lasts.reduce<Last | undefined>((a, b) => (a && a.index >= b.index ? a : b), undefined)
  if (!most) return { hosts: new Set(), isComplete: false }
  const others = await Promise.all(
    lasts
      .filter((last) => last !== most)
      .map(async (last) => ({ host: last.member.host, elsewhere: await isElsewhere(most, last, endpoint) })),
  )
  return {
    hosts: new Set(others.flatMap(({ host, elsewhere }) => (elsewhere ? [host] : []))),
    isComplete: lasts.length === members.length && others.every(({ elsewhere }) => elsewhere !== undefined),
  }
}

/** @param now milliseconds; for ages */
export function createIndexGaps(now: () => number = steadyNow): IndexGaps {
  const known = new Map<string, Known>()
  const looking = new Map<string, Promise<Known>>()

  const look = (endpoint: Endpoint, members: readonly Member[]): Promise<Known> => {
    const { path } = endpoint
    const running = looking.get(path)
    if (running) return running
    const started = gapsIn(members, endpoint)
      .then((compared) => {
        const found = { ...compared, at: now() }
        known.set(path, found)
        return found
      })
      .finally(() => looking.delete(path))
    looking.set(path, started)
    return started
  }
  return {
    judgeOf: ({ endpoint }, group, judge) => {
      if (!endpoint.name.startsWith('index/')) return undefined
      const members = group.members()
      if (members.length < 2) return undefined
      const before = known.get(endpoint.path)
      const isRecent = before && now() - before.at < (before.isComplete ? LONG_MS : SHORT_MS)
      const found = isRecent ? before : look(endpoint, members)
      // The previous result is used while it is being renewed, unless a node could not be compared: that one may have
      // been the one to tell who has a gap.
      return Promise.resolve(before?.isComplete ? before : found).then(({ hosts }) => (response) => {
        const verdict = judge(response)
        // That it has no such container says as little.
        const isWord = verdict.kind === 'answer' || isNoSuchThing(verdict)
        if (!isWord || !hosts.has(response.host)) return verdict
        return { kind: 'retry', behind: true, withhold: true, reason: 'its index has a gap' }
      })
    },
  }
}
