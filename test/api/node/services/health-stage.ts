import { until } from '../../../support/waiting/until.ts'

export interface HealthPage {
  status: number
  checks: Record<
    string,
    { message?: unknown; error?: string; contiguousFailures: number; timeOfFirstFailure: string | null }
  >
  healthy: boolean
}

export async function readHealth(url: string, page = 'health'): Promise<HealthPage> {
  const answer = await fetch(`${url}/ext/${page}`)
  return { status: answer.status, ...((await answer.json()) as Omit<HealthPage, 'status'>) }
}

/** Waits for a report that is as wanted; the last one seen is in the error when none comes. */
export async function untilHealth(url: string, wanted: (page: HealthPage) => boolean): Promise<HealthPage> {
  let page!: HealthPage
  const isWanted = async (): Promise<boolean> => {
    page = await readHealth(url)
    return wanted(page)
  }
  await until(isWanted, () => JSON.stringify(page), 20)
  return page
}

/** Every check ran once. */
export const untilHealthRan = (url: string): Promise<HealthPage> =>
  untilHealth(url, ({ checks }) => Object.values(checks).every(({ error }) => error !== 'not yet run'))
