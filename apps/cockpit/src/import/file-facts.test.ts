import type { ExportContent, LogEntry } from 'bridle/history'
import { expect, test } from 'vitest'
import { importChanges, modeOf } from './changes.ts'
import { fileFacts } from './file-facts.ts'
import { hiddenPrompts } from './hidden-prompts.ts'

const entry = (seq: number, type: string, payload: object, more: Partial<LogEntry> = {}): LogEntry => ({
  ...{ seq, at: seq, type, payload: payload as LogEntry['payload'] },
  ...more,
})

const contentOf = (...logs: readonly (readonly LogEntry[])[]): ExportContent => ({
  digest: '',
  sessions: logs.map((entries, at) => ({
    ...{ session: { id: `s${at + 1}`, agent: 'x', kind: 'chat' }, entries, line: 2, chars: 0 },
  })),
})

const claiming = (settings: object) => entry(1, 'session_created', { kind: 'chat', agent: 'x', settings })
const queued = (seq: number, text: string, more: object = {}) =>
  entry(seq, 'prompt_queued', { run_id: `r-${seq}`, message_id: `m-${seq}`, text, ...more })

test('[C394] every prompt has its author and event, steering too', () => {
  const { prompts } = fileFacts(
    contentOf([
      claiming({}),
      queued(2, 'Hello', { actor: 'ann', input: { prompt: 'Hello', model: 'm' } }),
      entry(3, 'turn_start', { turn_id: 'r-2', prompt: 'Hello' }),
      entry(4, 'steered', { run_id: 'r-2', message_id: 'm-4', text: 'Slower' }),
      queued(5, 'Never believed', {}),
      entry(6, 'prompt_queued', { run_id: 'r-6', message_id: 'm-6', text: 'Hearsay' }, { hearsay: true }),
    ]),
  )
  expect(prompts).toEqual([
    { message_id: 'm-2', text: 'Hello', about: 'ann · event 2', input: { prompt: 'Hello', model: 'm' } },
    { message_id: 'm-4', text: 'Slower', about: 'unknown author · event 4 · steered a run' },
    { message_id: 'm-5', text: 'Never believed', about: 'unknown author · event 5' },
  ])
})

test('[C395] open work, withheld events and claims of several sessions are counted once', () => {
  const facts = fileFacts(
    contentOf(
      [
        claiming({ permission_mode: 'bypassPermissions', workspace_source: '/etc', model: null }),
        queued(2, 'a'),
        entry(3, 'turn_start', { turn_id: 'r-2', prompt: 'a' }),
        entry(4, 'approval_required', { request_id: 'q1' }),
        entry(5, 'approval_applied', { request_id: 'q1', decision: 'approved' }),
        entry(6, 'approval_required', { request_id: 'q2' }),
        queued(7, 'b'),
        entry(8, 'model_step', {}, { withheld: true }),
      ],
      [
        claiming({ permission_mode: 'plan' }),
        queued(2, 'c'),
        entry(3, 'turn_start', { turn_id: 'r-2', prompt: 'c' }),
        entry(4, 'turn_end', { turn_id: 'r-2' }),
      ],
    ),
  )
  const { prompts: _, counts, claims, ...work } = facts
  expect(work).toEqual({ openTurns: 1, openApprovals: 1, waitingPrompts: 1, given: 1, withheld: 1 })
  expect([counts.events, counts.sessions, counts.approvals]).toEqual([12, 2, 2])
  expect(claims.get('permission_mode')).toEqual(['bypassPermissions', 'plan'])
  expect(modeOf(facts)).toEqual({ isPlan: false, claimed: 'bypassPermissions' })
  const receipt = {
    sessions: [
      { id: 's1-2', agent: 'x', events: 8, renamed_from: 's1', ignored: ['permission_mode', 'workspace_source'] },
      { id: 's2', agent: 'x', events: 4, existing: true },
    ],
  }
  expect(importChanges(facts, receipt).map(({ what, claimed }) => [what, claimed])).toEqual([
    ['Workspace', 'workspace_source: /etc'],
    ['1 setting', 'permission_mode: bypassPermissions or plan'],
    ['1 given approval', 'approval_applied'],
    ['1 open approval', 'approval_required'],
    ['1 turn in progress', 'turn_start'],
    ['1 queued prompt', 'prompt_queued'],
    ['1 withheld event', ''],
    ['1 renamed session', 's1 → s1-2'],
    ['1 known session', 's2'],
  ])
  expect(importChanges(facts, null).some(({ what }) => what === 'Workspace')).toBe(false)
})

test('[C395] a session that is planned only stays so', () => {
  expect(modeOf(fileFacts(contentOf([claiming({ permission_mode: 'plan' })])))).toEqual({ isPlan: true, claimed: null })
})

test('[C394] prompts with hidden characters or long gaps are counted', () => {
  const prompt = (text: string) => ({ message_id: text, text })
  expect(hiddenPrompts(['plain', 'a\u202eb', `a${'\n'.repeat(9)}b`, 'two\n\nlines'].map(prompt))).toBe(2)
})
