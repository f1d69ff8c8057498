// The short texts of a chat: notices, the cost of a turn, the status row, and which workspace a chat asks for.

import type { FabricClient } from '@bridle/client/index'
import { engineDescriptions } from '@bridle/runners/engine-table/descriptions'
import { expect, test } from 'vitest'
import { turnCost } from '../chat-link.ts'
import { agentWorkspace, chatWorkspace, newChatBody } from '../chat-workspace.ts'
import { type ChatStatus, deliveryText, promptRows, statusText } from '../status-text.ts'
import { noticeReader, noticeText } from './notices.ts'

const at = Date.parse('2026-01-01T00:00:00.000Z')
test.each<[string, object, string | null]>([
  [
    'sandbox_notice',
    { requested_backend: 'in_process', resolved_backend: 'in_process', isolation: 'none', reason: 'x' },
    null,
  ],
  ['sandbox_notice', { resolved_backend: 'task_workspace', isolation: 'workspace', reason: 'x' }, null],
  ['sandbox_notice', { resolved_backend: 'bubblewrap', isolation: 'full' }, 'Sandbox: bubblewrap · full'],
  [
    'transport_diagnostic',
    { status: 'retrying', kind: 'model', provider_requested: 'anthropic', reason: 'over\u001b[2J', failure_count: 2 },
    'anthropic: over␛[2J, trying again, try 3',
  ],
  ['transport_diagnostic', { status: 'waiting', kind: 'sandbox', reason: 'All are busy.' }, 'All are busy.'],
  ['transport_diagnostic', { status: 'ok', kind: 'sandbox' }, null],
  ['retry_scheduled', { attempt: 2, due: at + 2_000, reason: 'lost.' }, 'lost, trying again in 2 s, attempt 2'],
  ['context_warning', { usage_pct: 81.2 }, 'Context 81 % full'],
  ['context_warning', { message: 'Full\u001b[2J\nnow' }, 'Warning: Full␛[2J now'],
  ['budget_crossed', { budget: 'cost', limit: 1, value: 2 }, 'Limit reached: cost of 1, at 2'],
  ['session_paused', { actor: 'ada', reason: 'lunch' }, 'Paused by ada: lunch'],
  ['session_paused', { actor: 'ada', actor_claimed: true }, 'Paused by ada (not signed in)'],
  ['session_resumed', {}, 'Resumed'],
  ['step_progress', { title: 'Read', index: 2, total: 5, status: 'running' }, 'Step 2 of 5: Read · running'],
  ['token', { text: 'x' }, null],
  ['toString', {}, null],
])('[C195] the notice of %s', (type, payload, text) => {
  const timestamp = new Date(at).toISOString()
  expect(noticeText({ type, timestamp, payload: payload as { [name: string]: unknown } })).toBe(text)
})

const none = { input_tokens: 0, output_tokens: 0, cost_usd: null, context_usage_pct: null }
test('[C195] the line about the sandbox comes once, and again when it changes', () => {
  const read = noticeReader()
  const timestamp = new Date(at).toISOString()
  const boxes = ['task_workspace', 'bubblewrap', 'task_workspace', 'bubblewrap', 'process']
  const texts = boxes.map((backend) =>
    read({ type: 'sandbox_notice', timestamp, payload: { resolved_backend: backend, isolation: 'x' } }),
  )
  expect(texts).toEqual([null, 'Sandbox: bubblewrap · x', null, null, 'Sandbox: process · x'])
  expect(read({ type: 'session_paused', timestamp, payload: {} })).toBe('Paused')
  expect(read({ type: 'session_paused', timestamp, payload: {} })).toBe('Paused')
})

test.each([
  ['nothing is known', none, none, null, null],
  ['only the time', none, none, 1_234, 'took 1.2 s'],
  [
    'all of it',
    { ...none, input_tokens: 100, cost_usd: 1 },
    { input_tokens: 1_334, output_tokens: 5, cost_usd: 1.5, context_usage_pct: 12.4 },
    65_000,
    '1,234 tokens read, 5 written · $0.50 · context 12 % · took 1 m 5 s',
  ],
])('[C195] the cost of a turn: %s', (_name, before, after, ms, text) => expect(turnCost(before, after, ms)).toBe(text))

const idle: ChatStatus = {
  isAway: false,
  isStopping: false,
  isLeaving: false,
  waitingApprovals: 0,
  isRunning: false,
  sessionStatus: 'idle',
  elapsedMs: null,
}
test.each<[Partial<ChatStatus>, string | null]>([
  [{}, null],
  [{ isRunning: true, sessionStatus: 'running', elapsedMs: 400 }, '… running · Esc stops'],
  [{ isRunning: true, sessionStatus: 'queued', elapsedMs: 12_000 }, '… queued 12 s · Esc stops'],
  [{ isRunning: true, isStopping: true }, '… stops'],
  [{ isRunning: true, isAway: true }, '… the server is away'],
  [{ isRunning: true, waitingApprovals: 1 }, '? An approval waits: send or clear this line to answer it.'],
  [{ sessionStatus: 'paused' }, '… paused; /resume goes on'],
  [{ isLeaving: true }, 'Ctrl+C again leaves; the session stays.'],
])('[C195] the status row %#', (more, text) => expect(statusText({ ...idle, ...more })).toBe(text))

test('[C201] engines that work on files get the current folder, others one that is named, and none with --no-workspace', () => {
  const env = { npm_lifecycle_event: 'bridle', INIT_CWD: '/here' }
  const here = { mode: 'write', source: '/here' }
  expect(chatWorkspace('claude', {}, env)).toEqual(here)
  expect(chatWorkspace('codex', { 'workspace-mode': 'in-place' }, env)).toEqual({ mode: 'in_place', source: '/here' })
  expect(chatWorkspace('claude', { workspace: 'docs' }, env)).toEqual({ mode: 'write', source: '/here/docs' })
  expect(chatWorkspace('codex', { 'no-workspace': true }, env)).toBeNull()
  expect(chatWorkspace('scripted', {}, env)).toBeNull()
  expect(chatWorkspace('scripted', { workspace: '.' }, env)).toEqual(here)
  expect(chatWorkspace(undefined, {}, env)).toBeNull()
  expect(() => chatWorkspace('claude', { workspace: ' ' }, env)).toThrow('--workspace is empty')
  for (const { name, worksOnFiles } of engineDescriptions)
    expect([name, chatWorkspace(name, {}, env)]).toEqual([name, worksOnFiles ? here : null])
  expect(newChatBody('claude', chatWorkspace('claude', {}, env))).toEqual({ agent: 'claude', workspace: here })
  expect(newChatBody(undefined, null)).toEqual({})
})

test('[C432] an agent on an engine works on the current folder, as the agent of the engine does', async () => {
  const env = { npm_lifecycle_event: 'bridle', INIT_CWD: '/here' }
  const row = (name: string, engine: string, runner_kind: string) => ({ name, engine, runner_kind })
  const agents = [
    row('reviewer', 'claude', 'bridge'),
    row('triage', 'native', 'in_process'),
    row('odd', 'none', 'bridge'),
  ]
  const fabric = { agents: async () => ({ agents }) } as unknown as FabricClient
  const place = (agent: string | undefined, flags = {}) => agentWorkspace(fabric, agent, flags, env)
  expect(await place('reviewer')).toEqual({ mode: 'write', source: '/here' })
  expect(await place('reviewer', { 'workspace-mode': 'in-place' })).toEqual({ mode: 'in_place', source: '/here' })
  expect(await Promise.all(['triage', 'odd', 'gone', 'claude', undefined].map((name) => place(name)))).toEqual([
    ...[null, null, null, null, null],
  ])
  expect(await place('reviewer', { 'no-workspace': true })).toBeNull()
  const away = { agents: () => Promise.reject(new Error('away')) } as unknown as FabricClient
  expect(await agentWorkspace(away, 'reviewer', {}, env)).toBeNull()
})

test.each([
  ['steered', '· the answer is steered'],
  ['queued', '· queued: the prompt is the next one, since this agent takes no steering now'],
  ['started', null],
])('[C199] a prompt that was %s', (delivery, text) => expect(deliveryText(delivery)).toBe(text))

test('[C199] a prompt that steered an answer which was stopped', () => {
  expect(deliveryText('steered', true)).toBe('· the answer that this steered is stopped')
})

test('[C194] in a narrow window a question stands above its answer', () => {
  expect(promptRows('Approve? [y]es: ', 79)).toEqual({ above: [], prompt: 'Approve? [y]es: ' })
  expect(promptRows('Approve? [y]es: ', 20)).toEqual({ above: ['Approve? [y]es:'], prompt: '› ' })
})
