import type { ReportItem } from '@bridle/kernel/commands'
import { flushPending, VirtualClock } from '@bridle/kernel/host/host.suite'
import { RunReporter } from '@bridle/kernel/session/run-reporter'
import { expect, test } from 'vitest'
import { createThoughtReporter } from './model-request.ts'

const world = () => {
  const clock = new VirtualClock()
  const sent: string[] = []
  const textOf = (item: ReportItem) =>
    item.type === 'event' ? `${item.event.type} ${(item.event.payload as { text: string }).text}` : item.type
  const send = async ({ items }: { items: readonly ReportItem[] }) => void sent.push(items.map(textOf).join(', '))
  const reporter = new RunReporter({ runId: 'r-1', attempt: 1, frame: 0, clock, tokenPaceMs: 16, send })
  return { clock, sent, reporter, listener: createThoughtReporter(reporter, clock) }
}

test('[N43] the first thought leaves at once, those after it together', async () => {
  const { clock, sent, listener } = world()
  for (const thought of ['a', 'b', 'c']) await listener.thinking(thought)
  expect(sent).toEqual(['thinking a'])
  await clock.pass(16)
  expect(sent).toEqual(['thinking a', 'thinking bc'])
  await clock.pass(100)
  await listener.thinking('d')
  expect(sent.at(-1)).toBe('thinking d')
})

test('[N43] thoughts and text keep their order', async () => {
  const { sent, listener } = world()
  await listener.thinking('a')
  await listener.thinking('b')
  await listener.text('1')
  await listener.text('2')
  await listener.thinking('c')
  await flushPending()
  expect(sent).toEqual(['thinking a', 'thinking b', 'token 1'])
  expect(listener.close()).toEqual([{ type: 'event', event: { type: 'thinking', payload: { text: 'c' } } }])
})

test('[N43] after its end nothing is sent any more', async () => {
  const { clock, sent, listener } = world()
  await listener.thinking('a')
  await listener.thinking('b')
  listener.close()
  await clock.pass(1_000)
  expect(sent).toEqual(['thinking a'])
  expect(clock.pending).toBe(0)
})
