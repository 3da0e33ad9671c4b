import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { recordedIndex } from '../../support/recorded/recorded-index.ts'
import type { ChainFacts, Latencies } from '../balances/chains.ts'

export interface LoadUpstreams {
  facts: ChainFacts
  /** Writes the configuration of a server over these upstreams and answers its place. */
  configure(name: string, settings: Record<string, unknown>): string
  /** From now on the slowest chain answers nobody, until `release`. */
  hold(): Promise<void>
  release(): Promise<void>
  stop(): Promise<void>
}

/** Chains of every family and the recorded network, in another process. */
export async function startUpstreams(latencies: Latencies): Promise<LoadUpstreams> {
  const file = fileURLToPath(new URL('./upstreams-process.ts', import.meta.url))
  const child = fork(file, [JSON.stringify(latencies)], { execArgv: ['--import', 'tsx', '--no-deprecation'] })
  const facts = await Promise.race([
    once(child, 'message').then(([message]) => message as ChainFacts),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the upstreams did not start (exit ${code})`))),
  ])
  const tell = async (what: 'hold' | 'release'): Promise<void> => {
    const done = once(child, 'message')
    child.send(what)
    await done
  }
  return {
    facts,
    configure: (name, settings) => configure(facts, name, settings),
    hold: () => tell('hold'),
    release: () => tell('release'),
    async stop() {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}

interface Written {
  chains: { evm: Record<string, { upstreams: { url: string; requestsPerSecond?: number }[] }> }
}

/** What the chains are configured as, with the recorded network's index beside them. */
function configure(facts: ChainFacts, name: string, settings: Record<string, unknown>): string {
  const written = JSON.parse(readFileSync(facts.configFile, 'utf8')) as Written
  const indexed = recordedIndex(facts.nodeUrl)
  const folder = dirname(facts.configFile)
  // Upstreams of one's own: their pace is not what is measured.
  for (const { upstreams } of Object.values(written.chains.evm))
    for (const upstream of upstreams) upstream.requestsPerSecond = 5_000
  const config = {
    ...written,
    index: indexed.index,
    data: indexed.data,
    dataDir: join(folder, name),
    chains: {
      ...written.chains,
      evm: { ...written.chains.evm, ...indexed.chains?.evm },
      avalanche: indexed.chains?.avalanche,
    },
    ...settings,
  }
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify(config))
  return file
}
