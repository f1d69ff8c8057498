// The shell against Bridle's own engine, over HTTP on a loopback port.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { httpTransport } from '@bridle/openharness/http-transport'
import type { ShellOptions } from '@bridle/openharness/options'
import { outcomes, stubShell } from '@bridle/openharness/stub-engine.suite'
import { accepts } from '@bridle/surfaces/openharness/json-schema.suite'
import type { RequestMessage } from '@bridle/wire/openharness/wire'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HarnessServer } from '../node/index.ts'

const script = (...steps: unknown[]): string => `@script ${JSON.stringify(steps)}`
const asking = script({ approve: 'write', args: { path: 'a.txt' } }, { text: 'Written, or not.' })

const data = mkdtempSync(join(tmpdir(), 'bridle-shell-'))
let server: HarnessServer
beforeAll(async () => {
  server = await HarnessServer.start({ port: 0, data, store: 'memory', log: () => {}, openharness: { waitMs: 200 } })
})
afterAll(async () => {
  await server.close()
  rmSync(data, { recursive: true, force: true })
})

/** A shell on the server, with every request that it sent. */
const realShell = (options: Partial<ShellOptions> = {}, retries = 5) => {
  const sent: RequestMessage[] = []
  const ownFetch: typeof fetch = (url, init) => {
    sent.push(JSON.parse(String(init?.body)))
    return fetch(url, init)
  }
  const transport = httpTransport({ url: `${server.url}/v1/openharness`, retryMs: 20, retries, fetch: ownFetch })
  return { ...stubShell([], { transport, ...options }), sent }
}

/** The session as another wire shows it: its prompts, and the answers to its approvals. */
const storyOf = async (session: string): Promise<{ prompts: number; decisions: unknown[] }> => {
  const answer = await fetch(`${server.url}/agents/scripted/${session}`)
  const { events } = (await answer.json()) as { events: { type: string; data: { decision?: string } }[] }
  return {
    prompts: events.filter(({ type }) => type === 'prompt_start').length,
    decisions: events.flatMap(({ type, data }) => (type === 'approval_resolved' ? [data.decision] : [])),
  }
}

test('[OHS2] [OHS8] three shells, two turns each, interleaved', async () => {
  const shells = ['one', 'two', 'three'].map((sessionId) => ({ sessionId, ...realShell({ sessionId }) }))
  const turns = shells.flatMap(({ shell, sessionId }) =>
    ['a', 'b'].map((text) => shell.send(script({ text: `${sessionId} ${text}` }))),
  )
  for (const turn of await Promise.all(turns))
    expect([turn.error, outcomes(turn.feedback)]).toEqual([null, [['executed', null]]])
  for (const { calls, sessionId } of shells) expect(calls).toEqual([`${sessionId} a`, `${sessionId} b`])
})

test('[OHS2] a conversation goes on apart from its session, which stays as it was', async () => {
  const { shell, calls } = realShell({ sessionId: 'tree' })
  await shell.send(script({ text: 'Trunk.' }))
  const conversation = shell.startConversation()
  await shell.send(script({ text: 'Branch.' }))
  await shell.send(script({ text: 'More.' }))
  expect(calls).toEqual(['Trunk.', 'Branch.', 'More.'])
  expect([(await storyOf('tree')).prompts, (await storyOf(`tree:${conversation}`)).prompts]).toEqual([1, 3])
})

test.each([
  ['approve', 'approved'],
  ['deny', 'denied'],
])('[OHS30] the answer %s reaches the run', async (option, decision) => {
  const questions: unknown[] = []
  const sessionId = `answer-${option}`
  const { shell, calls, sent } = realShell({
    sessionId,
    handlers: {
      render_message: ({ text }) => calls.push(text),
      request_approval: ({ tool, arguments: args, options }) => {
        questions.push([tool, args, options.map(({ id }) => id)])
        return option
      },
    },
  })
  const turn = await shell.send(asking)
  expect([turn.error, calls, turn.openApprovals]).toEqual([null, ['Written, or not.'], []])
  expect(questions).toEqual([['write', { path: 'a.txt' }, ['approve', 'deny']]])
  expect(await storyOf(sessionId)).toEqual({ prompts: 1, decisions: [decision] })
  expect(sent).toHaveLength(2)
})

test('[OHS31] the plain token asks how things stand and approves nothing; another process answers later', async () => {
  const first = realShell({ sessionId: 'later' })
  const [open] = (await first.shell.send(asking)).openApprovals
  const { run_id = '', continuation_token = '' } = open ?? {}
  const status = await first.shell.resume({ run_id, continuation_token })
  expect([status.error, status.openApprovals]).toEqual([null, [open]])
  expect([first.calls, (await storyOf('later')).decisions]).toEqual([[], []])

  const second = realShell({ sessionId: 'later' })
  const yes = open?.options.find(({ id }) => id === 'approve')?.continuation_token ?? ''
  expect((await second.shell.resume({ continuation_token: yes }, { intent: 'Approve' })).error).toBeNull()
  expect([second.calls, (await storyOf('later')).decisions]).toEqual([['Written, or not.'], ['approved']])
  const again = await first.shell.resume({ continuation_token: yes })
  expect(again.error).toMatchObject({ code: 'continuation_used', source: 'engine', retryable: false })
})

test('[OHS41] a run that takes longer than the engine waits is asked for again, and has run once', async () => {
  const { shell, calls, sent } = realShell({ sessionId: 'slow' }, 50)
  const turn = await shell.send(script({ sleepMs: 500 }, { text: 'At last.' }))
  expect([turn.error, calls]).toEqual([null, ['At last.']])
  expect(sent.length).toBeGreaterThan(1)
  expect(new Set(sent.map((request) => JSON.stringify(request))).size).toBe(1)
  expect((await storyOf('slow')).prompts).toBe(1)
})

test('[OHS42] the same request id gets the same answer, and another intent under it is refused', async () => {
  const { shell, calls } = realShell({ sessionId: 'twice' })
  const intent = script({ text: 'Once.' })
  const { requestId } = await shell.send(intent)
  await shell.send(intent, { requestId })
  expect((await shell.send('Something else', { requestId })).error?.code).toBe('request_id_conflict')
  expect(calls).toEqual(['Once.', 'Once.'])
  expect((await storyOf('twice')).prompts).toBe(1)
})

test('[OHS1] [OHS7] every request fits the normative draft', async () => {
  const draft = JSON.parse(
    readFileSync(
      new URL('../../../surfaces/src/openharness/fixtures/openharness-v1.draft.json', import.meta.url),
      'utf8',
    ),
  )
  const { shell, sent } = realShell({
    identity: { shell_kind: 'com.example.kiosk', shell_version: '1', locale: 'en', timezone: 'Europe/Berlin' },
    auth: { credential_ref: 'c' },
    environment: { privacy_tier: 'secret', os: 'x', own: [1, null] },
    capabilities: { 'com.example.x': { a: [null] } },
    handlers: { render_ui: () => {}, request_approval: () => 'deny' },
    approve: () => true,
  })
  shell.startConversation()
  await shell.send(asking, { taskHint: { deal: 1 }, attachments: [{ ref_id: 'r' }], extensions: { 'com.example': 1 } })
  await shell.resume({ run_id: 'r' })
  expect(sent.length).toBeGreaterThan(1)
  for (const request of sent) expect([request, accepts(draft, request)]).toEqual([request, true])
})
