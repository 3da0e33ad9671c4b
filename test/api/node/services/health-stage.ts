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
  let page = await readHealth(url)
  for (const end = Date.now() + 60_000; !wanted(page); page = await readHealth(url)) {
    if (Date.now() > end) throw new Error(JSON.stringify(page))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return page
}

/** Every check ran once. */
export const untilHealthRan = (url: string): Promise<HealthPage> =>
  untilHealth(url, ({ checks }) => Object.values(checks).every(({ error }) => error !== 'not yet run'))
