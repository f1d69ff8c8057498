// A tool that reports, remembers and waits. Once its call is settled it is not run again, so that what it did must neither be lost nor
// taken for something that another call does.

import type { Json, JsonObject } from '@bridle/events/json'
import { flushPending } from '@bridle/kernel/host/host.suite'
import { expect, test } from 'vitest'
import { agent, type RunContext } from '../agent.ts'
import { type AgentsOf, DurableProcess, keyOf } from './durable-world.suite.ts'

type Run = (context: RunContext<JsonObject>, process: DurableProcess) => unknown
const keys = [keyOf('clerk', 's1'), keyOf('clerk', 's2'), keyOf('clerk', 's3')]
const clerk =
  (run: Run, durable = true): AgentsOf =>
  (process) => [
    agent({ name: 'clerk', durable, run: ((context: RunContext<JsonObject>) => run(context, process)) as () => Json }),
  ]

/** Three sessions run up to their approval; their process ends, and the next one finishes them. */
const restarted = async (run: Run): Promise<DurableProcess> => {
  const first = new DurableProcess(clerk(run))
  for (const key of keys) await first.submit(key, 'go')
  for (const key of keys) await first.approval(key)
  const second = await first.next()
  for (const key of keys) await second.approve(key)
  await flushPending()
  return second
}
const ask = { subject: 'go on', reason: 'A person decides.' }

test('[N52] a new call reports what an earlier one has reported too: each counts', async () => {
  const process = await restarted(async ({ session }) => {
    for (let n = 0; n < 4; n++) {
      const work = async () => {
        await session.usage({ inputTokens: 100 })
        await session.emit('looked', { at: 'page' })
        await session.artifact('page.txt', 'the same page')
      }
      await session.tool('look', { n }, work, { effect: 'pure' })
      if (n === 1) await session.approval(ask)
    }
  })
  for (const key of keys) {
    await process.idle(key)
    expect(await process.payloads(key, 'usage')).toHaveLength(4)
    expect(await process.payloads(key, 'custom_event')).toHaveLength(4)
    expect(await process.payloads(key, 'artifact_published')).toHaveLength(4)
  }
})

test('[N52] a call that is made again does not report twice, and neither does the function beside it', async () => {
  const run: Run = async ({ session }, process) => {
    await session.usage({ inputTokens: 7 })
    const work = async () => {
      await session.usage({ inputTokens: 7 })
      return process.ledger.count('again') > 0 ? 'seen' : new Promise(() => {})
    }
    const seen = await session.tool('look', {}, work, { effect: 'pure' })
    await session.usage({ inputTokens: 7 })
    return seen
  }
  const first = new DurableProcess(clerk(run))
  for (const key of keys) await first.submit(key, 'go')
  await first.until(async () =>
    (await Promise.all(keys.map((key) => first.payloads(key, 'usage')))).every((all) => all.length === 2),
  )
  first.ledger.entries.push('again')
  const second = await first.next()
  for (const key of keys) {
    await second.idle(key)
    expect(await second.results(key)).toEqual(['seen'])
    expect(await second.payloads(key, 'usage')).toHaveLength(3)
  }
})

test('[N58] the function sees what a settled tool has remembered, and a new tool remembers an equal value', async () => {
  const process = await restarted(async ({ session }) => {
    const remember = (value: string) =>
      session.tool('remember', { value }, () => session.memory.set('state', value), {
        effect: 'pure',
        id: `to-${value}`,
      })
    await remember('busy')
    await remember('idle')
    await session.approval(ask)
    const before = await session.memory.get('state')
    await session.tool('again', {}, () => session.memory.set('state', 'busy'), { effect: 'pure' })
    return [before, await session.memory.get('state')]
  })
  for (const key of keys) {
    await process.idle(key)
    expect(await process.results(key)).toEqual([['idle', 'busy']])
    expect((await process.payloads(key, 'memory_set')).map(({ value }) => value)).toEqual(['busy', 'idle', 'busy'])
  }
})

test('[N56] a signal that a settled tool has taken is not taken again', async () => {
  const run: Run = async ({ session }) => {
    const inside = await session.tool('listen', {}, () => session.waitFor('news'), { effect: 'pure' })
    await session.approval(ask)
    return [inside, await session.waitFor('news')]
  }
  const first = new DurableProcess(clerk(run))
  for (const key of keys) await first.submit(key, 'go')
  for (const key of keys) await first.until(async () => (await first.payloads(key, 'tool_call')).length === 1)
  for (const key of keys) await first.send(key, { type: 'signal', name: 'news', payload: `${key.id} one` })
  for (const key of keys) await first.approval(key)
  const second = await first.next()
  for (const key of keys) await second.approve(key)
  await flushPending()
  for (const key of keys) await second.send(key, { type: 'signal', name: 'news', payload: `${key.id} two` })
  for (const key of keys) {
    await second.idle(key)
    expect(await second.results(key)).toEqual([[`${key.id} one`, `${key.id} two`]])
  }
})

test('[N52] thoughts inside a settled call stay', async () => {
  const process = await restarted(async ({ session }) => {
    await session.thinking('Before. ')
    await session.tool('ponder', {}, () => session.thinking('Inside. '), { effect: 'pure' })
    await session.thinking('Outside. ')
    await session.approval(ask)
    await session.thinking('After.')
  })
  for (const key of keys) {
    await process.idle(key)
    expect(await process.payloads(key, 'output_superseded')).toEqual([])
    const thoughts = (await process.payloads(key, 'thinking')).map(({ text }) => text)
    expect(thoughts.join('')).toBe('Before. Inside. Outside. After.')
  }
})

test('[N55] work that has become durable starts over, and does not take the interrupted call for its own', async () => {
  const options = { effect: 'pure', id: 'get' } as const
  const old: Run = async ({ session }) => {
    await session.usage({ inputTokens: 7 })
    await session.tool('get', {}, () => new Promise(() => {}), options)
  }
  const first = new DurableProcess(clerk(old, false))
  for (const key of keys) await first.submit(key, 'go', { kind: 'background', maxRetries: 2 })
  for (const key of keys) await first.until(async () => (await first.payloads(key, 'tool_call')).length === 1)
  const second = await first.next({
    agents: clerk(async ({ session }, process) => {
      await session.usage({ inputTokens: 7 })
      return session.tool('get', {}, () => process.act('get', 'got'), options)
    }),
  })
  await second.clock.pass(5_000)
  for (const key of keys) {
    await second.idle(key)
    expect(await second.results(key)).toEqual(['got'])
    expect(await second.payloads(key, 'usage')).toHaveLength(2)
  }
  expect(second.ledger.entries).toEqual(['get', 'get', 'get'])
})

test('[N56] a time that is no number is refused', async () => {
  const process = new DurableProcess(
    clerk(async ({ session }) => {
      const refused: string[] = []
      for (const ms of ['5', -1, Number.NaN, null, true, Number.POSITIVE_INFINITY])
        await session.sleep('nap', ms as number).catch((error: Error) => refused.push(error.name))
      return refused
    }),
  )
  for (const key of keys) await process.submit(key, 'go')
  for (const key of keys) {
    await process.idle(key)
    expect(await process.results(key)).toEqual([Array(6).fill('RangeError')])
  }
})

test('[N52] tools and the function say the same text: each is said once', async () => {
  const process = await restarted(async ({ session }) => {
    for (let n = 1; n <= 4; n++) {
      await session.tool('work', { n }, () => session.text('Working. '), { effect: 'pure' })
      await session.text('Working. ')
      if (n === 2) await session.approval(ask)
    }
  })
  for (const key of keys) {
    await process.idle(key)
    expect(await process.results(key)).toEqual(['Working. '.repeat(8)])
    expect(await process.payloads(key, 'output_superseded')).toEqual([])
  }
})

test('[N52] tools that run at the same time, some of them settled, do not say their text twice', async () => {
  const run: Run = async ({ session }, process) => {
    const work = async (n: number) => {
      await session.text(`<${n}>`)
      return n === 1 || process.ledger.count('again') > 0 ? n : new Promise(() => {})
    }
    const done = [1, 2, 3].map((n) => session.tool('work', { n }, () => work(n), { effect: 'pure' }))
    await Promise.all(done)
    await session.text(' done')
  }
  const first = new DurableProcess(clerk(run))
  for (const key of keys) await first.submit(key, 'go')
  for (const key of keys)
    await first.until(async () => {
      const said = (await first.payloads(key, 'token')).map(({ text }) => text).join('')
      return said === '<1><2><3>' && (await first.payloads(key, 'tool_outcome')).length === 1
    })
  first.ledger.entries.push('again')
  const second = await first.next()
  for (const key of keys) {
    await second.idle(key)
    expect(await second.results(key)).toEqual(['<1><2><3> done'])
  }
})
