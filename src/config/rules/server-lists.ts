import type { Config } from '../schema.ts'

/** A server of a chain, of whatever family. */
export interface Server {
  url: string
  /** Bitcoin only. */
  kind?: string
  headers?: Record<string, string> | undefined
}

/** The servers of every chain, by the name of their list in messages. */
export function serverLists({ evm, bitcoin, solana, avalanche }: Config['chains']) {
  type Entries = Record<string, { upstreams: readonly Server[] }>
  const families: [string, Entries][] = Object.entries({ evm, bitcoin, solana, avalanche })
  return families.flatMap(([family, entries]) =>
    Object.entries(entries).map(
      ([reference, { upstreams }]) => [`chains.${family}.${reference}.upstreams`, upstreams] as const,
    ),
  )
}
