import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { APPLICATION_TAG, type HealthCheck, UnhealthyError } from './health-check.ts'

/** A node's defaults: below the first it warns, below the second it stops. Both are unhealthy. Bytes. */
const WARNING_BYTES = 1_073_741_824
const REQUIRED_BYTES = 536_870_912

/** The folder is created on first use; its disk is that of the nearest existing folder. */
async function diskOf(folder: string): Promise<{ available: number; total: number }> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return { available: bavail * bsize, total: blocks * bsize }
  } catch (error) {
    const above = dirname(folder)
    if (above !== folder && (error as NodeJS.ErrnoException).code === 'ENOENT') return diskOf(above)
    throw error
  }
}

const problem = (available: number): string | undefined => {
  if (available < REQUIRED_BYTES)
    return `remaining available disk space (${available}) is below minimum required available space (${REQUIRED_BYTES})`
  if (available < WARNING_BYTES)
    return `remaining available disk space (${available}) is below the warning threshold of disk space (${WARNING_BYTES})`
  return undefined
}

/**
 * Free space on the disk of each folder that is written to; reports the one with the least. `measure` is replaced in
 * tests, which cannot fill disks.
 */
export function createDiskCheck(folders: readonly string[], measure = diskOf): HealthCheck {
  return {
    name: 'diskspace',
    tags: () => [APPLICATION_TAG],
    run: async () => {
      const disks = await Promise.all(folders.map((folder) => measure(resolve(folder))))
      const { available, total } = disks.reduce((least, disk) => (disk.available < least.available ? disk : least))
      const percentage = total === 0 ? 0 : Math.floor((available / total) * 100)
      const message = { availableDiskBytes: available, availableDiskPercentage: percentage }
      const error = problem(available)
      if (error !== undefined) throw new UnhealthyError(error, message)
      return message
    },
  }
}
