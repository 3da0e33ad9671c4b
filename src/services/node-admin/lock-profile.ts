import type { Wait } from '../../lib/waiting/wait-recorder.ts'

/**
 * Waits in speedscope's file format: one profile by total time and one by count, where each wait is a stack from
 * general to specific.
 *
 * @see https://www.speedscope.app/file-format-schema.json
 */
export function lockProfile(waits: readonly Wait[]): string {
  const names = [...new Set(waits.flatMap(({ path }) => path))]
  const at = new Map(names.map((name, index) => [name, index]))
  const samples = waits.map(({ path }) => path.map((name) => at.get(name) ?? 0))
  const profile = (name: string, unit: string, weights: number[]) => ({
    type: 'sampled',
    name,
    unit,
    startValue: 0,
    endValue: weights.reduce((sum, weight) => sum + weight, 0),
    samples,
    weights,
  })
  return JSON.stringify({
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    name: 'lock.profile',
    exporter: 'firn',
    activeProfileIndex: 0,
    shared: { frames: names.map((name) => ({ name })) },
    profiles: [
      profile(
        'time spent waiting',
        'milliseconds',
        waits.map(({ total }) => total),
      ),
      profile(
        'number of waits',
        'none',
        waits.map(({ count }) => count),
      ),
      profile(
        'longest waits',
        'milliseconds',
        waits.map(({ longest }) => longest),
      ),
    ],
  })
}
