import { recordOf } from '../../../../lib/json/json-record.ts'
import { steadyNow } from '../../../../lib/steady-clock.ts'
import type { Endpoint } from '../../routes/endpoint.ts'
import type { ForwardCall } from '../call.ts'
import type { Judge } from '../judge.ts'
import type { Member, NodeGroup } from './node-pools.ts'

/** Knows which nodes have an index with a gap (`index-allow-incomplete`): they number containers differently. */
export interface IndexGaps {
  /** A judge that rejects answers of such nodes while another node has one; undefined = nothing to find out. */
  judgeOf(call: ForwardCall, group: NodeGroup, judge: Judge): Promise<Judge> | undefined
}

/** Time after which indexes are compared again, milliseconds. */
const KEPT_MS = 60_000
/** How long a call waits for one question to a node, milliseconds. */
const WAIT_MS = 1_000

interface Last {
  member: Member
  id: string
  index: bigint
}

interface Known {
  hosts: ReadonlySet<string>
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

/** Whether the node with the most containers has this one at another index. Unknown if it does not have it yet. */
async function isElsewhere(most: Last, { id, index }: Last, endpoint: Endpoint): Promise<boolean> {
  try {
    const found = await ask(most.member, endpoint, 'index.getIndex', { id, encoding: 'hex' })
    return BigInt(String(found['index'])) !== index
  } catch {
    return false
  }
}

async function gapsIn(members: readonly Member[], endpoint: Endpoint): Promise<Set<string>> {
  const told = await Promise.all(members.map((member) => lastOf(member, endpoint)))
  const lasts = told.filter((last) => last !== undefined)
  const most = lasts.reduce<Last | undefined>((a, b) => (a && a.index >= b.index ? a : b), undefined)
  if (!most) return new Set()
  const others = lasts.filter((last) => last !== most)
  const hosts = await Promise.all(
    others.map(async (last) => ((await isElsewhere(most, last, endpoint)) ? [last.member.host] : [])),
  )
  return new Set(hosts.flat())
}

export function createIndexGaps(): IndexGaps {
  const known = new Map<string, Known>()
  const looking = new Map<string, Promise<Known>>()

  const look = (endpoint: Endpoint, members: readonly Member[]): Promise<Known> => {
    const { path } = endpoint
    const running = looking.get(path)
    if (running) return running
    const started = gapsIn(members, endpoint)
      .then((hosts) => {
        const found = { hosts, at: steadyNow() }
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
      const found = before && steadyNow() - before.at < KEPT_MS ? before : look(endpoint, members)
      // The previous result is used while it is being renewed.
      return Promise.resolve(before ?? found).then(({ hosts }) => (response) => {
        const verdict = judge(response)
        if (verdict.kind !== 'answer' || !hosts.has(response.host)) return verdict
        return { kind: 'retry', behind: true, reason: 'its index has a gap' }
      })
    },
  }
}
