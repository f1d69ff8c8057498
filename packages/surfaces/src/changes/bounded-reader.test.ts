// A reader that does not read: it gets no queue without end, and `ready` when it has caught up.
import { expect, test } from 'vitest'
import { BoundedReader, UNREAD_BYTES_MAX } from './bounded-reader.ts'

const slowSink = () => {
  const sent: string[] = []
  const drain = { waiting: 0, resolve: () => {} }
  const sink = {
    sent,
    drain,
    send: (messages: readonly string[]) => {
      sent.push(...messages)
      for (const message of messages) drain.waiting += message.length
    },
    buffered: () => drain.waiting,
    drained: () =>
      new Promise<void>((resolve) => {
        drain.resolve = resolve
      }),
    close: () => sent.push('closed'),
  }
  return sink
}
const large = (name: string) => [JSON.stringify({ name, text: 'x'.repeat(100_000) })]

test('[F56] a slow reader misses changes, and gets ready when it has caught up', async () => {
  const sink = slowSink()
  const reader = new BoundedReader(null, sink)
  for (let count = 0; count < 50; count++) reader.send(large(`n${count}`))
  expect(reader.isBehind).toBe(true)
  expect(sink.drain.waiting).toBeLessThan(UNREAD_BYTES_MAX + 101_000)
  const before = sink.sent.length
  sink.drain.waiting = 0
  sink.drain.resolve()
  await expect.poll(() => reader.isBehind).toBe(false)
  expect(sink.sent.slice(before)).toEqual(['{"type":"ready"}'])
  reader.send(['next'])
  expect(sink.sent.at(-1)).toBe('next')
})

test('[F56] a slow reader that leaves gets nothing more', async () => {
  const sink = slowSink()
  const reader = new BoundedReader(null, sink)
  for (let count = 0; count < 10; count++) reader.send(large(`n${count}`))
  const { length } = sink.sent
  reader.stop()
  sink.drain.resolve()
  await expect.poll(() => reader.isBehind).toBe(false)
  reader.send(['late'])
  expect(sink.sent).toHaveLength(length)
})
