import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type App, createApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/index.ts'
import { FIXTURES } from '../support/recorded/recordings.ts'
import { OVERRIDES } from '../support/server/stage.ts'
import { archiveFile, hasArchive, putDatabase } from '../support/store/migrated-archive.ts'
import { type SandboxAvalanche, startSandboxAvalanche } from './avalanche-network.ts'
import { type BitcoinChain, startBitcoinChain } from './bitcoin-chain.ts'
import { type Credentials, credentialsOf } from './credentials.ts'
import { type SandboxEvm, startSandboxEvm } from './evm-chain.ts'
import { type MetadataGateway, startMetadataGateway } from './metadata-gateway.ts'
import { writeSandboxSettings } from './settings.ts'
import { type SolanaChain, startSolanaChain } from './solana-chain.ts'

/** anvil's own chain id: nobody mistakes it for a real chain. */
const EVM_CHAIN_ID = 31337

export interface Sandbox {
  url: string
  app: App
  evm: SandboxEvm
  bitcoin: BitcoinChain
  solana: SolanaChain
  avalanche: SandboxAvalanche
  /** What callers have to show. */
  credentials: Credentials
  /** Path in front of the indexed API. */
  dataPathPrefix: string
  /** False where a flag leaves the index to others, or off. */
  indexes: boolean
  /** Keeps an empty database for the next start, where none was kept: that one is five seconds sooner. */
  keep(): Promise<unknown>
  stop(): Promise<void>
}

/** Local chains of every family and the whole server in front of them; `argv` are the server's own flags. */
export async function startSandbox(options: { recordings?: string; argv?: readonly string[] } = {}): Promise<Sandbox> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-sandbox-'))
  const discard = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  // A second signal leaves no time to stop anything.
  process.once('exit', discard)
  const stops: (() => Promise<unknown> | unknown)[] = [discard, () => process.off('exit', discard)]
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).reverse()) await end()
  }
  const started = async <T>(chain: Promise<T>, end: (chain: T) => Promise<unknown>): Promise<T> => {
    const running = await chain
    stops.push(() => end(running))
    return running
  }
  // To make one takes longer than all chains: it is not waited for, the server makes its own beside what it answers.
  const database = hasArchive().then((is) => (is ? putDatabase(join(folder, 'data/store')) : undefined))
  // Whoever waits for it is told.
  database.catch(() => undefined)
  try {
    const settled = await Promise.allSettled([
      started(startSandboxEvm({ chainId: EVM_CHAIN_ID }), (chain) => chain.stop()),
      started(startBitcoinChain(), (chain) => chain.close()),
      started(startSolanaChain(), (chain) => chain.close()),
      started(
        startSandboxAvalanche(options.recordings === undefined ? {} : { recordings: options.recordings }),
        (network) => network.stop(),
      ),
      started(startMetadataGateway(), (gateway) => gateway.stop()),
    ])
    const failed = settled.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
    const [evm, bitcoin, solana, avalanche, gateway] = settled.map(
      (result) => (result as PromiseFulfilledResult<unknown>).value,
    ) as [SandboxEvm, BitcoinChain, SolanaChain, SandboxAvalanche, MetadataGateway]
    writeSandboxSettings(folder, {
      evm,
      bitcoin,
      solana,
      avalancheUrl: avalanche.url,
      side: avalanche.side,
      hrp: avalanche.hrp,
      cChainId: avalanche.evmChainId,
      cChainUrl: avalanche.cChainUrl,
      genesisFile: [join(resolve(options.recordings ?? FIXTURES), 'network/genesis.json')].find((file) =>
        existsSync(file),
      ),
      l1: avalanche.l1,
      gatewayUrl: gateway.url,
    })
    const loaded = loadConfig({ argv: options.argv ?? [], env: {}, cwd: folder })
    if (loaded.action !== 'run') throw new Error(loaded.text)
    const { index, mode, data } = loaded.config
    await database
    const app = await createApp(loaded.config, OVERRIDES)
    stops.push(() => app.close())
    const url = await app.listen()
    const credentials = await credentialsOf(loaded.config, url)
    const indexes = index.enabled && mode !== 'api'
    const server = { url, app, credentials, dataPathPrefix: data.pathPrefix, indexes }
    return { ...server, evm, bitcoin, solana, avalanche, keep: () => archiveFile(folder), stop }
  } catch (error) {
    await stop()
    throw error
  }
}
