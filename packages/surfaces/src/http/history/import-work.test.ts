// The work of an import is that of its events: nested branches cost no more than others, and an import that takes too long stops.

import { LINEAGE_MAX } from '@bridle/events/limits'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import { describe, expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { turnEvents, type WrittenSession, writtenFile } from './written-files.suite.ts'

/** Sessions of which each is a branch of the one before, with one event each. */
const chain = (levels: number, first: WrittenSession = { id: 'n1' }): readonly WrittenSession[] => {
  const head = 1 + (first.events?.length ?? 0)
  return Array.from({ length: levels }, (_, index) =>
    index === 0
      ? first
      : {
          id: `n${index + 1}`,
          at: 1_600_000_000_000 + index,
          parent: { id: index === 1 ? first.id : `n${index}`, seq: head + index - 1 },
        },
  )
}

/** An app that counts the events which its store reads. */
const countingApp = () => {
  const { log, directory } = memoryStore()
  const counts = { events: 0, reads: 0, opens: 0 }
  const counted: typeof log = {
    ...log,
    open: (...args) => {
      counts.opens += 1
      return log.open(...args)
    },
    read: async (...args) => {
      const events = await log.read(...args)
      counts.reads += 1
      counts.events += events.length
      return events
    },
  }
  return { ...testApp({}, {}, { log: counted, directory }), counts }
}

describe('[X73] the work of an import', () => {
  test('grows with the events of the file, however deep its branches are', async () => {
    const workOf = async (levels: number) => {
      const it = countingApp()
      const file = writtenFile(...chain(levels, { id: 'n1', events: turnEvents(2, 'one') }))
      expect((await it.post('/import', file)).status).toBe(200)
      return it.counts
    }
    const [short, long] = [await workOf(50), await workOf(200)]
    expect(long.opens).toBeLessThanOrEqual(4 * short.opens)
    expect(long.reads).toBeLessThanOrEqual(4 * short.reads)
    expect(long.events).toBeLessThanOrEqual(4 * short.events)
    expect(long.opens).toBeLessThanOrEqual(3 * 200)
    expect(long.events).toBe(0)
  })

  test('branches that leave before the end of a long session do not read it again', async () => {
    const it = countingApp()
    const events = Array.from({ length: 30 }, (_, n) => turnEvents(2 + 6 * n, `prompt ${n}`)).flat()
    const branches = Array.from({ length: 60 }, (_, n) => ({ id: `b${n}`, parent: { id: 'n1', seq: 150 + (n % 3) } }))
    expect((await it.post('/import', writtenFile({ id: 'n1', events }, ...branches))).status).toBe(200)
    expect(it.counts.events).toBe(0)
    // The state that was handed on is the one that the log tells.
    const state = (await it.get('/sessions/b59')).body
    expect(state.messages).toHaveLength(((await it.get('/sessions/n1')).body.messages as unknown[]).length - 10)
  })

  test('a chain of branches is exported from both of its ends, and imported again', async () => {
    const here = testApp()
    expect((await here.post('/import', writtenFile(...chain(80)))).status).toBe(200)
    for (const id of ['n1', 'n80']) {
      const file = String((await here.get(`/sessions/${id}/export`)).body.text)
      const { status, body } = await testApp().post('/import', file)
      expect([status, (body.sessions as unknown[]).length]).toEqual([200, 80])
    }
  })

  test('a file may be as deep as the branches of a server, and none of them is deeper', async () => {
    const here = testApp()
    expect((await here.post('/import', writtenFile(...chain(LINEAGE_MAX)))).status).toBe(200)
    const { prompts_digest } = (await here.get('/sessions/n1000')).body
    const deeper = { from_event_id: 'ev-1000', workspace: { mode: 'none' }, prompts_digest }
    expect((await here.post('/chat/sessions/n1000/branch', deeper)).status).toBe(400)
    const below = writtenFile({ id: 'x', parent: { id: 'n1000', seq: 1_000 } })
    const { status, body } = await here.post('/import?check=1', below)
    expect([status, body.error]).toEqual([400, expect.stringMatching(/^Line 2: .*more than 1000 branches deep/)])
  })

  test.each([LINEAGE_MAX + 1, 9_999])(
    '%i levels are refused with their line, before anything is written',
    async (levels) => {
      const it = testApp()
      const { status, body } = await it.post('/import', writtenFile(...chain(levels)))
      expect([status, body.error]).toEqual([400, expect.stringMatching(/^Line 2002: .*more than 1000 branches deep/)])
      expect((await it.get('/sessions')).body.sessions).toEqual([])
    },
  )

  test('stops after ten seconds of CPU time, and says so', async () => {
    let cpu = 0
    const it = testApp({ cpuMs: () => (cpu += 6_000) })
    const file = writtenFile(...chain(600))
    const { status, body } = await it.post('/import', file)
    expect([status, body.error]).toEqual([
      400,
      expect.stringMatching(/more than 10 s of CPU time.*Nothing was written/),
    ])
    expect((await it.get('/sessions')).body.sessions).toEqual([])
    // CPU time that others use in between does not count.
    let busy = 0
    const other = testApp({ cpuMs: () => (busy += 400) })
    expect((await other.post('/import', file)).status).toBe(200)
  })

  test('stops when its client leaves, and the same file completes it', async () => {
    const leave = new AbortController()
    const { log, directory } = memoryStore()
    let appends = 0
    const watched: typeof log = {
      ...log,
      append: async (...args) => {
        appends += 1
        if (appends === 100) leave.abort()
        return log.append(...args)
      },
    }
    const it = testApp({}, {}, { log: watched, directory })
    const file = writtenFile(...chain(200))
    const request = new Request('http://127.0.0.1/import', { method: 'POST', body: file, signal: leave.signal })
    expect((await it.app.fetch(request)).status).toBe(503)
    expect(appends).toBe(100)
    const { status, body } = await it.post('/import', file)
    const sessions = body.sessions as readonly { readonly existing?: boolean }[]
    expect([status, sessions.filter(({ existing }) => existing).length]).toEqual([200, 100])
  })

  test('does nothing for a client that has left before', async () => {
    const it = testApp()
    const signal = AbortSignal.abort()
    const request = new Request('http://127.0.0.1/import', { method: 'POST', body: writtenFile(...chain(3)) })
    Object.defineProperty(request, 'signal', { value: signal })
    expect((await it.app.fetch(request)).status).toBe(503)
    expect((await it.get('/sessions')).body.sessions).toEqual([])
  })
})
