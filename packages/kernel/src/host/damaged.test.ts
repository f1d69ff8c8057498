// A damaged log stops its session, callers get the reason, and the session can still be removed.
import { expect, test } from 'vitest'
import { StoreFault } from '../ports/store-fault.ts'
import { flushPending, key, setUp } from './host.suite.ts'

const submit = { type: 'submit', prompt: 'hello' } as const

test('found while it is open: watchers are cut, callers are told, the others go on', async () => {
  const { host, log } = setUp()
  await host.send(key('bad'), submit)
  await host.send(key('good'), submit)
  const session = await host.open(key('bad'))
  const read = log.read.bind(log)
  log.read = async (where, ...rest) => {
    if (where.id === 'bad') throw new StoreFault('corrupt', 'bad is damaged')
    return read(where, ...rest)
  }
  await expect(session.read(0, 10)).rejects.toMatchObject({ code: 'corrupt' })
  expect(session.dropped).toBe(true)
  await expect(host.open(key('bad'))).rejects.toMatchObject({ code: 'corrupt' })
  await expect(host.send(key('bad'), submit)).rejects.toMatchObject({ code: 'corrupt' })
  expect((await host.find(key('good')))?.exists).toBe(true)

  log.read = read
  expect(await host.remove(key('bad'))).toBe(true)
  expect(await host.find(key('bad'))).toBeNull()
})

test('damaged when it is opened: it is opened again only if a caller asks', async () => {
  const first = setUp()
  await first.host.send(key('bad'), submit)
  await flushPending()
  const { host, log, clock, faults } = await first.again()
  let opened = 0
  log.open = async () => {
    opened += 1
    throw new StoreFault('corrupt', 'bad is damaged')
  }
  await host.start()
  await clock.pass(60_000)
  expect([opened, faults.length]).toEqual([1, 1])
  await expect(host.open(key('bad'))).rejects.toMatchObject({ code: 'corrupt' })
  expect(opened).toBe(2)
  await host.stop()
})
