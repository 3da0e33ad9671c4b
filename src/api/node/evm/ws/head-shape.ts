import { eachMember } from '../../json/spans.ts'

/** What a block has in addition to a pushed header; used until a header has been seen. */
const NOT_IN_HEADS = new Set(['transactions', 'uncles', 'size', 'totalDifficulty', 'blockExtraData', 'withdrawals'])

/** Turns a block into the header that a node would have pushed: the members of earlier headers, in their order. */
export interface HeadShape {
  learn(head: Buffer): void
  /** `block` as `eth_getBlockByNumber` returns it. */
  fit(block: Buffer): Buffer
}

export function createHeadShape(): HeadShape {
  let names: string[] | undefined
  return {
    learn: (head) => {
      if (names) return
      const seen: string[] = []
      eachMember(head, 0, (keyFrom, keyTo) => void seen.push(head.toString('latin1', keyFrom, keyTo)))
      if (seen.length > 0) names = seen
    },
    fit: (block) => {
      const values = new Map<string, string>()
      eachMember(block, 0, (keyFrom, keyTo, from, to) => {
        const name = block.toString('latin1', keyFrom, keyTo)
        if (names || !NOT_IN_HEADS.has(name.slice(1, -1))) values.set(name, block.toString('latin1', from, to))
      })
      const kept = (names ?? [...values.keys()]).filter((name) => values.has(name))
      return Buffer.from(`{${kept.map((name) => `${name}:${values.get(name)}`).join(',')}}`, 'latin1')
    },
  }
}
