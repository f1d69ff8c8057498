// Prometheus text format.
import type { Directory } from '@bridle/kernel/ports/directory'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import type { AppPorts } from '../../app.ts'
import type { HistogramRow } from './histogram.ts'

export type MetricLabels = Readonly<Record<string, string | number>>

export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly type: 'gauge' | 'counter'
  readonly rows: readonly { readonly labels?: MetricLabels; readonly value: number }[]
}

export interface HistogramFamily {
  readonly name: string
  readonly help: string
  readonly type: 'histogram'
  readonly rows: readonly HistogramRow[]
}

export type Metric = MetricFamily | HistogramFamily

export const metricsText = async ({
  host,
  directory,
  traffic,
  lostCommits = 0,
  metrics,
}: AppPorts): Promise<string> => {
  const { sessions, listeners, running, waiting, events } = host.counts()
  const approvals = await countApprovals(directory)
  const families: readonly Metric[] = [
    single('bridle_sessions_loaded', 'gauge', 'Sessions in memory', sessions),
    single('bridle_sessions_running', 'gauge', 'Sessions whose run is at work', running),
    single(
      'bridle_sessions_waiting',
      'gauge',
      'Loaded sessions whose run waits: for a person, a signal or a moment',
      waiting,
    ),
    ...(approvals === undefined
      ? []
      : [single('bridle_approvals_open', 'gauge', 'Approvals that wait for an answer, of all sessions', approvals)]),
    single('bridle_listeners', 'gauge', 'Open streams and sockets', listeners),
    single('bridle_events_total', 'counter', 'Events committed by this process', events),
    single('bridle_lost_commits', 'gauge', 'Acknowledged commits found missing when this process started', lostCommits),
    ...(metrics?.() ?? []),
    ...traffic.metrics(),
  ]
  return families.map(familyText).join('')
}

/** Undefined if the store cannot be read, which is when the other metrics matter most. */
const countApprovals = async (directory: Directory): Promise<number | undefined> => {
  try {
    return await directory.openApprovals?.()
  } catch (error) {
    if (error instanceof StoreFault) return undefined
    throw error
  }
}

export const single = (name: string, type: MetricFamily['type'], help: string, value: number): MetricFamily => ({
  ...{ name, type, help },
  rows: [{ value }],
})

const familyText = (family: Metric): string => {
  const { name, help, type } = family
  const rows =
    family.type === 'histogram'
      ? family.rows.flatMap((row) => histogramLines(name, row))
      : family.rows.map(({ labels, value }) => line(name, labels, value))
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...rows, ''].join('\n')
}

const histogramLines = (name: string, { labels, buckets, sum, count }: HistogramRow): string[] => [
  ...buckets.map(({ most, count: upTo }) => line(`${name}_bucket`, { ...labels, le: most }, upTo)),
  line(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
  line(`${name}_sum`, labels, sum),
  line(`${name}_count`, labels, count),
]

const line = (name: string, labels: MetricLabels = {}, value: number): string => {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(String(text))}"`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`
}

const escapeLabel = (text: string): string =>
  text.replaceAll(/[\\"\n]/g, (mark) => (mark === '\n' ? '\\n' : `\\${mark}`))
