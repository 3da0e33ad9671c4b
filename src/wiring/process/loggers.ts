import { access, constants } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { Config } from '../../config/index.ts'
import { FirnError } from '../../errors.ts'
import { CHAIN_LETTERS } from '../../facts/primary-network.ts'
import { createNamedLoggers, type NamedLoggers } from '../../lib/logging/named-loggers.ts'
import { makeFolder } from '../../lib/make-folder.ts'

/** Loggers in addition to those of the chains: one per API and per background part. */
const PARTS = ['main', 'auth', 'balance', 'data', 'ext', 'indexer', 'market', 'store'] as const

export type ServerPart = (typeof PARTS)[number]

export interface ServerLoggers {
  named: NamedLoggers
  /** The logger of a part or of a chain (`P`, `eip155:1`). */
  of(name: ServerPart | (string & {})): Logger
}

/** @param instead replaces every logger: for tests and embedding programs that collect lines themselves */
export function createServerLoggers({ log, chains }: Config, instead?: Logger): ServerLoggers {
  const named = createNamedLoggers(log)
  const names = [
    ...PARTS,
    ...(chains.avalanche.mainnet || chains.avalanche.testnet ? CHAIN_LETTERS : []),
    ...Object.keys(chains.evm).map((id) => `eip155:${id}`),
    ...Object.keys(chains.bitcoin).map((id) => `bip122:${id}`),
    ...Object.keys(chains.solana).map((id) => `solana:${id}`),
  ]
  // Created now, so that the admin API lists them before they have logged anything.
  for (const name of names) named.get(name)
  return { named, of: (name) => instead ?? named.get(name) }
}

/**
 * No start without the configured log files. Later, a folder that is not writable costs lines but not the process.
 * @throws FirnError that names the setting
 */
export async function checkLogFolder({ log: { dir } }: Pick<Config, 'log'>): Promise<void> {
  if (dir === undefined) return
  try {
    await makeFolder(dir)
    await access(dir, constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const message = `log.dir: given ${JSON.stringify(dir)}, which cannot be written to (${code}); allowed: a folder of this user`
    throw new FirnError(message, { code: 'FOLDER_REFUSED', cause: error })
  }
}
