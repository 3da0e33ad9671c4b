import type { HealthReport, HealthResult } from './health-check.ts'

/** Members in a node's order; ours are always present except `message` and `error`. */
const resultText = (result: HealthResult): string => {
  const { message, error, timestamp, duration, contiguousFailures, timeOfFirstFailure } = result
  return JSON.stringify({ message, error, timestamp, duration, contiguousFailures, timeOfFirstFailure })
}

/** JSON of a report. Written by hand, because a numeric name would change its position in an object. */
export function reportText(report: HealthReport): string {
  const checks = [...report.checks].map(([name, result]) => `${JSON.stringify(name)}:${resultText(result)}`)
  return `{"checks":{${checks.join(',')}},"healthy":${report.healthy}}`
}
