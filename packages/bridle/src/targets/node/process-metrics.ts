// Figures of this process, under the names that Prometheus clients give them.
import { type Metric, single } from '../../surfaces/http/router/metrics.ts'

export const processMetrics = (): readonly Metric[] => {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  const started = Math.round(Date.now() / 1_000 - process.uptime())
  return [
    single('process_cpu_seconds_total', 'counter', 'Processor time', (user + system) / 1_000_000),
    single('process_resident_memory_bytes', 'gauge', 'Memory', rss),
    single('process_start_time_seconds', 'gauge', 'Start, in seconds since 1970', started),
    single('nodejs_heap_size_used_bytes', 'gauge', 'Memory of JavaScript objects', heapUsed),
  ]
}
