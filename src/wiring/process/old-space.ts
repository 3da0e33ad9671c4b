import { getHeapStatistics } from 'node:v8'
import { nodeFlags } from '../../config/index.ts'

const MIB = 1_048_576

/** V8's default maximum of half its space for young objects, MiB, from the version on; measured on Node.js 20 to 26. */
const SEMI_SPACES: readonly (readonly [v8: number, mib: number])[] = [
  [14, 32],
  [13, 64],
  [0, 16],
]

/** Two halves hold the youngest objects, and a third space of the same size those that are moved out. */
const PER_SEMI_SPACE = 3

/**
 * Bytes of old objects at which V8 ends the process. V8's limit includes the space for young objects, which is not part
 * of what fills up.
 * @param flags of V8 that the process was started with; the last of a kind counts
 * @param limit V8's own, bytes
 */
export function oldSpaceLimit(
  flags: readonly string[] = nodeFlags(),
  limit: number = getHeapStatistics().heap_size_limit,
  v8: string = process.versions.v8,
): number {
  const given = flags.map((flag) => /^--max[-_]semi[-_]space[-_]size=(\d+)$/.exec(flag)?.[1]).findLast(Boolean)
  const [, own = 0] = SEMI_SPACES.find(([from]) => Number.parseInt(v8, 10) >= from) ?? []
  return limit - PER_SEMI_SPACE * Number(given ?? own) * MIB
}
