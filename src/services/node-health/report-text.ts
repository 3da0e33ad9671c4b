import type { HealthReport, HealthResult } from './health-check.ts'

/** Members as a node orders them; ours are always all there but `message` and `error`. */
const resultText = (result: HealthResult): string => {
  const { message, error, timestamp, duration, contiguousFailures, timeOfFirstFailure } = result
  return JSON.stringify({ message, error, timestamp, duration, contiguousFailures, timeOfFirstFailure })
}

/** JSON of a report. Written by hand, as a name of digits would change its place in an object. */
export function reportText(report: HealthReport): string {
  const checks = [...report.checks].map(([name, result]) => `${JSON.stringify(name)}:${resultText(result)}`)
  return `{"checks":{${checks.join(',')}},"healthy":${report.healthy}}`
}
