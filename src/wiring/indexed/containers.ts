import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../../config/index.ts'
import type { ChainLetter } from '../../facts/primary-network.ts'
import { makeFolder } from '../../lib/make-folder.ts'
import { allowStart, type ContainerSource, createStoredContainers } from '../../services/containers/index.ts'
import type { IndexReader } from '../../store/index.ts'
import { servedSide } from '../node/node-health.ts'

/** The own containers of the network behind /ext; undefined when no network is served. */
export function createServerContainers(
  config: Config,
  index: IndexReader,
): ((nodeHeight: (chain: ChainLetter, signal?: AbortSignal) => Promise<bigint>) => ContainerSource) | undefined {
  const network = servedSide(config)
  if (network === undefined) return undefined
  return (nodeHeight) => createStoredContainers({ index, network, nodeHeight, maxAgeMs: config.index.maxIndexAgeMs })
}

/** In the data folder since the first run with the index. */
const MARK = 'index-enabled'

/**
 * Refuses a start that would stop an index that was on before.
 * @throws ConfigError unless `--index-allow-incomplete` is given
 */
export async function checkIndexFlags({ index, dataDir }: Config, logger: Logger): Promise<void> {
  const mark = join(dataDir, MARK)
  const indexedBefore = await access(mark).then(
    () => true,
    () => false,
  )
  allowStart(indexedBefore, index)
  if (!index.enabled || indexedBefore) return
  try {
    await makeFolder(dataDir)
    await writeFile(mark, 'The index was on: switching it off needs --index-allow-incomplete.\n')
  } catch (error) {
    // A folder that is not writable must not keep the server from starting.
    logger.warn({ err: error }, 'cannot note that the index is on')
  }
}
