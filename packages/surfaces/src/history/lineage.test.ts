import { readExport } from '@bridle/history/export/read-export'
import { History } from '@bridle/history/history'
import type { HistoryError } from '@bridle/history/history-error'
import { historyOf, type SessionLog } from '@bridle/history/lineage'
import type { SessionLogPage } from '@bridle/wire/http/wire'
import { expect, test } from 'vitest'
import { scriptPrompt, waitForDetail } from '../frontend/frontend.suite.ts'
import { testApp } from '../http/test-app.suite.ts'

/** A chat of two turns, a branch of it, a branch of that one, and one that leaves the branch before it left the chat. */
const branches = async () => {
  const it = testApp()
  const page = async (id: string) => (await it.get(`/sessions/${id}/log`)).body as unknown as SessionLogPage
  const turn = async (id: string, text: string) => {
    await it.post(`/chat/sessions/${id}/turns`, { prompt: scriptPrompt({ text, chunks: 3 }, { tool: 'read' }) })
    await waitForDetail(it, id, ({ status, runId }) => status === 'idle' && runId === null)
  }
  const branch = async (id: string, from: number, child: string) => {
    const answer = await it.post(`/chat/sessions/${id}/branch`, { from_event_id: `ev-${from}`, session_id: child })
    expect(answer.status).toBe(201)
  }
  await it.post('/chat/sessions', { agent: 'scripted', session_id: 'a' })
  await turn('a', 'one')
  const middle = (await page('a')).head
  await branch('a', middle, 'b')
  await turn('a', 'two')
  await turn('b', 'three')
  await branch('b', (await page('b')).head - 4, 'c')
  await turn('c', 'four')
  await branch('b', middle - 5, 'd')
  await turn('d', 'five')
  const pages = await Promise.all(['a', 'b', 'c', 'd'].map(page))
  /** Each session with its own events alone, as an export has them. */
  const logs = pages.map(
    ({ session, entries }): SessionLog => ({
      session,
      entries: entries.filter(({ seq }) => seq > (session.parent?.seq ?? 0)),
    }),
  )
  const file = async (id: string) => String((await it.get(`/sessions/${id}/export`)).body.text)
  return { pages, logs, file }
}

const problemOf = (act: () => unknown): [string, number] | null => {
  try {
    act()
    return null
  } catch (cause) {
    const { code, seq } = cause as HistoryError
    return [code, seq]
  }
}

test('[X39] the history of a branch has the events of its parents, however deep', async () => {
  const { pages, logs } = await branches()
  for (const { session, entries, head } of pages) {
    const whole = new History(session)
    whole.append(entries)
    const joined = historyOf(logs, session.id)
    expect([joined.first, joined.head]).toEqual([1, head])
    for (let seq = 1; seq <= head; seq++)
      expect(JSON.stringify(joined.at(seq)), `${session.id} ${seq}`).toBe(JSON.stringify(whole.at(seq)))
  }
  const twice = [...logs, { ...(logs[0] as SessionLog), session: { id: 'a', agent: 'other' } }]
  expect(historyOf(twice, 'a', 'other').session.agent).toBe('other')
  expect(historyOf(twice, 'b').head).toBe(pages[1]?.head)
})

test('[X39] a branch whose parent is gone, or has lost events, has no history', async () => {
  const { logs } = await branches()
  const [a, b, c] = logs as [SessionLog, SessionLog, SessionLog]
  const point = Number(b.session.parent?.seq)
  expect(problemOf(() => historyOf([b, c], 'c'))).toEqual(['gap', point])
  expect(problemOf(() => historyOf([{ ...a, entries: a.entries.slice(0, point - 1) }, b], 'b'))).toEqual(['gap', point])
  expect(problemOf(() => historyOf([{ ...a, entries: a.entries.slice(1) }, b], 'b'))).toEqual(['gap', 2])
  expect(problemOf(() => historyOf(logs, 'unknown'))).toEqual(['out_of_range', 0])
  expect(problemOf(() => historyOf(logs, 'a', 'other'))).toEqual(['out_of_range', 0])
  const circle = { ...a, session: { ...a.session, parent: { id: 'b', seq: point } } }
  expect(problemOf(() => historyOf([circle, b], 'b'))?.[0]).toBe('gap')
  // Events of the parent behind the branch point are its own.
  expect(historyOf([a, b], 'b').entry(point + 1)?.type).toBe('branched')
})

test('[X39] a file of an export has the history of each session in it, without a server', async () => {
  const { pages, file } = await branches()
  const { sessions } = await readExport(await file('a'))
  expect(sessions.map(({ session }) => session.id).toSorted()).toEqual(['a', 'b', 'c', 'd'])
  for (const { session, entries, head } of pages) {
    const whole = new History(session)
    whole.append(entries)
    const replay = historyOf(sessions, session.id, session.agent)
    expect(replay.head).toBe(head)
    for (let seq = 1; seq <= head; seq += 3) expect(JSON.stringify(replay.at(seq))).toBe(JSON.stringify(whole.at(seq)))
  }
  // A file of a branch alone has as much of its parents as it needs.
  const alone = (await readExport(await file('c'))).sessions
  expect(JSON.stringify(historyOf(alone, 'c').at(20))).toBe(JSON.stringify(historyOf(sessions, 'c').at(20)))
})
