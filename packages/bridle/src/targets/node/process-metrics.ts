// Figures of this process, under the names that Prometheus clients give them.
import { type Metric, single } from '../../surfaces/http/router/metrics.ts'

/** Read once: alerts take a start that changes for a restart, and the clock of a machine is corrected all the time. */
const STARTED = Math.round(performance.timeOrigin / 1_000)

export const processMetrics = (): readonly Metric[] => {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  return [
    single('process_cpu_seconds_total', 'counter', 'Processor time', (user + system) / 1_000_000),
    single('process_resident_memory_bytes', 'gauge', 'Memory', rss),
    single('process_start_time_seconds', 'gauge', 'Start, in seconds since 1970', STARTED),
    single('nodejs_heap_size_used_bytes', 'gauge', 'Memory of JavaScript objects', heapUsed),
  ]
}
