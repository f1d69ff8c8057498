import { memoryStore } from '@bridle/kernel/memory/memory-store'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { Histogram } from './histogram.ts'
import { createTraffic } from './traffic.ts'

const asks = [{ approve: 'write_file', args: { path: 'a.txt' } }, { text: 'Done.' }]
const script = (steps: readonly object[]) => ({ prompt: `@script ${JSON.stringify(steps)}` })

/** The value of a series; undefined = there is none. */
const seriesValue = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length))
}

test('[O134] a session that waits for an approval does not count as running, and its approval is open', async () => {
  const { get, post, host } = testApp()
  const metrics = async () => String((await get('/metrics')).body.text)
  const work = { prefer: 'respond-async' }
  for (const id of ['red', 'green', 'blue']) await post(`/agents/scripted/${id}`, script(asks), work)
  await post('/agents/scripted/busy', script([{ sleepMs: 600_000 }]), work)
  await post('/agents/scripted/over', script([{ text: 'Done.' }]))
  await expect.poll(async () => seriesValue(await metrics(), 'bridle_approvals_open')).toBe(3)
  await expect.poll(async () => seriesValue(await metrics(), 'bridle_sessions_waiting')).toBe(3)
  expect(seriesValue(await metrics(), 'bridle_sessions_running')).toBe(1)
  const { body } = await get('/approvals')
  const [{ id, sessionId }] = body.approvals as [{ id: string; sessionId: string }]
  await post(`/sessions/${sessionId}/approvals/${id}/reject`)
  await expect.poll(async () => seriesValue(await metrics(), 'bridle_approvals_open')).toBe(2)
  await expect.poll(async () => seriesValue(await metrics(), 'bridle_sessions_waiting')).toBe(2)
  await host.stop()
})

test('[O134] a store that cannot be read takes the open approvals from the page, and nothing else', async () => {
  const openApprovals = () => Promise.reject(new StoreFault('gone', 'The data folder is gone.'))
  const { get } = testApp({ directory: { ...memoryStore().directory, openApprovals } })
  const { status, body } = await get('/metrics')
  expect(status).toBe(200)
  expect(seriesValue(String(body.text), 'bridle_sessions_loaded')).toBe(0)
  expect(body.text).not.toContain('bridle_approvals_open')
})

test('[O134] requests have their time by route, and further metrics stand beside them, with any text in a label', async () => {
  const rows = [{ labels: { agent: 'say "hi"\\\n' }, value: 2 }]
  const metrics = () => [{ name: 'bridle_runs_total', help: 'Runs', type: 'counter' as const, rows }]
  const { get } = testApp({ metrics })
  await get('/health')
  await get('/health')
  await get('/sessions/nobody')
  const text = String((await get('/metrics')).body.text)
  expect(text).toContain('# HELP bridle_runs_total Runs\n# TYPE bridle_runs_total counter\n')
  expect(text).toContain('bridle_runs_total{agent="say \\"hi\\"\\\\\\n"} 2\n')
  const labels = 'method="get",route="/health"'
  expect(seriesValue(text, `bridle_http_requests_total{${labels},status="200"}`)).toBe(2)
  expect(seriesValue(text, `bridle_http_request_duration_seconds_count{${labels}}`)).toBe(2)
  expect(seriesValue(text, `bridle_http_request_duration_seconds_bucket{${labels},le="+Inf"}`)).toBe(2)
  expect(seriesValue(text, 'bridle_http_request_duration_seconds_count{method="get",route="/sessions/:id"}')).toBe(1)
  // Each family is described once, before its series.
  const described = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
  expect(described).toEqual([...new Set(described)])
  expect(text.endsWith('\n')).toBe(true)
})

test('[O134] a bucket has all values up to its bound', () => {
  const histogram = new Histogram([1, 10])
  for (const value of [0.5, 1, 2, 10, 11]) histogram.add({ agent: 'a' }, value)
  histogram.add({ agent: 'b' }, 20)
  expect(histogram.rows()).toEqual([
    {
      labels: { agent: 'a' },
      buckets: [
        { most: 1, count: 2 },
        { most: 10, count: 4 },
      ],
      sum: 24.5,
      count: 5,
    },
    {
      labels: { agent: 'b' },
      buckets: [
        { most: 1, count: 0 },
        { most: 10, count: 0 },
      ],
      sum: 20,
      count: 1,
    },
  ])
})

test('[O134] a clock that is set back takes no time from the sum', () => {
  const traffic = createTraffic()
  for (const ms of [2_000, -3_600_000]) traffic.count('get', '/health', 200, ms)
  const durations = traffic.metrics().find(({ type }) => type === 'histogram')
  expect(durations?.rows).toMatchObject([{ sum: 2, count: 2 }])
})
