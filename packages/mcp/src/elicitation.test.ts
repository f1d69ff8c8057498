// Questions of real servers to the person who uses the session, over HTTP and from a program, in both handshakes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyOf, LoopWorld } from '@bridle/agents/loop/loop.suite'
import type { JsonObject } from '@bridle/events/json'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { elicit as elicitOf } from './elicitation.ts'
import { startHttpFixture } from './http-fixture.suite.ts'
import { mcp } from './mcp.ts'
import { ask, callerAgent, eventually, lastOutcome } from './mcp-world.suite.ts'
import { fixtureProgram } from './program-fixture.suite.ts'
import type { McpOptions } from './server.ts'

const keys = [keyOf('a'), keyOf('b'), keyOf('c')]
const FORM = { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } }, required: ['name'] }
const form = { message: 'Who are you?', requestedSchema: FORM }
const link = { mode: 'url', message: 'Sign in.', url: 'https://example.com/sign-in', elicitationId: 'e1' }
const elicit = (...asks: object[]) => `docs_form ${JSON.stringify({ asks })}`

const open = async (it: LoopWorld, key = keyOf()) => Object.values((await it.host.open(key)).state.approvals.open)
const asked = async (it: LoopWorld, key = keyOf(), count = 1) => {
  await eventually(async () => expect(await open(it, key)).toHaveLength(count))
  return open(it, key)
}
const answer = async (it: LoopWorld, given: JsonObject, key = keyOf()) => {
  const [approval] = await asked(it, key)
  return it.send({ type: 'approve', approvalId: String(approval?.id), decision: 'approved', ...given }, key)
}
/** The replies that the server got, as it tells them with the result of its call. */
const replies = async (it: LoopWorld, key = keyOf()): Promise<unknown> => {
  await eventually(async () => expect(await it.payloads('completed', key)).toHaveLength(1))
  return JSON.parse(JSON.parse(String(await it.result(key))) as string)
}

const formOf = (count: number) => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, { type: 'string' }])),
})

const worldOf = (url: string, options: McpOptions = {}) =>
  new LoopWorld(callerAgent([mcp({ name: 'docs', url }, { idleMs: 0, ...options })]))

describe('[N255] a server behind an address', () => {
  test('asks three sessions at once over one connection, and gets the answer of each', async () => {
    await using server = await startHttpFixture()
    const it = worldOf(server.url)
    for (const key of keys) await it.submit(elicit(form, { ...form, message: 'And your friend?' }), key)
    for (const key of keys) await asked(it, key)
    expect(server.sessions.size).toBe(1)
    for (const key of keys.toReversed()) {
      const [approval] = await asked(it, key)
      expect(approval).toMatchObject({
        ...{ kind: 'question', tool: 'mcp.elicitation', schema: FORM },
        reason: 'The MCP server "docs" asks: Who are you?',
      })
      await answer(it, { values: { name: key.id, age: 7 } }, key)
    }
    for (const key of keys) {
      await eventually(async () => expect((await open(it, key))[0]?.reason).toContain('friend'))
      await answer(it, { values: { name: `friend of ${key.id}` } }, key)
    }
    for (const key of keys)
      expect(await replies(it, key)).toEqual([
        { action: 'accept', content: { name: key.id, age: 7 } },
        { action: 'accept', content: { name: `friend of ${key.id}` } },
      ])
  })

  test('gets decline for a declined question, and accept without content for a link', async () => {
    await using server = await startHttpFixture()
    const it = worldOf(server.url)
    await it.submit(elicit(form, link))
    const [first] = await asked(it)
    await it.send({ type: 'approve', approvalId: String(first?.id), decision: 'denied' })
    await eventually(async () => expect((await open(it))[0]?.reason).toContain('Sign in.'))
    expect((await open(it))[0]?.questions).toMatchObject([
      { question: 'Sign in.\nhttps://example.com/sign-in', options: [{ label: 'Continue' }] },
    ])
    await answer(it, { answers: { q1: 'Continue' } })
    expect(await replies(it)).toEqual([{ action: 'decline' }, { action: 'accept' }])
  })

  test('gets the answer when its clock of a call has stopped: waiting does not count for the time of a call', async () => {
    await using server = await startHttpFixture()
    const it = worldOf(server.url, { timeoutMs: 1_000 })
    await it.submit(elicit(form))
    await asked(it)
    await it.clock.pass(3_600_000)
    await answer(it, { values: { name: 'ann' } })
    expect(await replies(it)).toEqual([{ action: 'accept', content: { name: 'ann' } }])
  })

  test('gets cancel when the session refuses to ask', async () => {
    const ask = async () => ({ decision: 'denied', isRefused: true, reason: 'Too many approvals are open.' }) as never
    const caller = { run: {}, signal: new AbortController().signal, ask }
    expect(await elicitOf('docs', form, caller)).toEqual({ action: 'cancel' })
  })

  test('gets cancel when the run is cancelled', async () => {
    await using server = await startHttpFixture()
    const it = worldOf(server.url)
    await it.submit(elicit(form))
    await asked(it)
    await it.send({ type: 'cancel' })
    const [session] = server.sessions.values()
    await eventually(() => expect(session?.log.map(({ result }) => result)).toContainEqual({ action: 'cancel' }))
    expect(await open(it)).toEqual([])
  })

  test.each<[string, object, RegExp]>([
    ['a link that is not of the web', { ...link, url: 'javascript:alert(1)' }, /must begin with http/],
    ['a form of 500 fields', { ...form, requestedSchema: formOf(500) }, /500 fields; at most 100/],
    ['a message of 100,000 characters', { ...form, message: 'x'.repeat(100_000) }, /at most 64000/],
    ['no message', { requestedSchema: FORM }, /[Ii]nvalid/],
    ['another mode', { ...form, mode: 'dance' }, /[Ii]nvalid/],
  ])('[N258] that asks with %s gets an error that it can read, and nobody is asked', async (_name, params, problem) => {
    await using server = await startHttpFixture()
    const it = worldOf(server.url)
    await it.submit(elicit(params))
    const [error] = (await replies(it)) as { code: number; message: string }[]
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(problem) })
    expect(await it.payloads('approval_required')).toEqual([])
  })

  test('may refuse a call until a link was opened: the call is made again after that, and not without', async () => {
    for (const decision of ['approved', 'denied'] as const) {
      await using server = await startHttpFixture()
      const it = worldOf(server.url)
      await it.submit('docs_link')
      const [approval] = await asked(it)
      const given = decision === 'approved' ? { answers: { q1: 'Continue' } } : {}
      await it.send({ type: 'approve', approvalId: String(approval?.id), decision, ...given })
      await eventually(async () => expect(await it.payloads('turn_end')).toHaveLength(1))
      expect(await lastOutcome(it)).toMatchObject(
        decision === 'approved' ? { status: 'ok' } : { status: 'error', reason: 'mcp_refused' },
      )
      expect([...server.sessions.values()][0]?.calls).toBe(decision === 'approved' ? 2 : 1)
    }
  })
})

test('[N255] a server of the handshake of 2026 asks in three sessions; its call is made again with the answers', async () => {
  await using server = await startHttpFixture('modern')
  const it = worldOf(server.url)
  for (const key of keys) await it.submit(elicit(form, link), key)
  for (const key of keys.toReversed()) {
    const approvals = await asked(it, key, 2)
    for (const { id: approvalId, schema } of approvals) {
      const given = schema ? { values: { name: key.id } } : { answers: { q1: 'Continue' } }
      await it.send({ type: 'approve', approvalId, decision: 'approved', ...given }, key)
    }
  }
  for (const key of keys)
    expect(await replies(it, key)).toEqual({
      a0: { action: 'accept', content: { name: key.id } },
      a1: { action: 'accept' },
    })
})

test('[N258] a server of the handshake of 2026 that asks what cannot be shown fails the call with the problem', async () => {
  await using server = await startHttpFixture('modern')
  const it = worldOf(server.url)
  await it.submit(elicit({ ...link, url: 'file:///etc/passwd' }))
  await eventually(async () => expect(await it.payloads('turn_end')).toHaveLength(1))
  const outcome = await lastOutcome(it)
  expect(outcome).toMatchObject({ status: 'error', reason: 'mcp_refused', error: expect.stringMatching(/must begin/) })
})

describe('[N257] after a kill', () => {
  test.each<[string, McpOptions]>([
    ['that may be repeated', { trusted: true }],
    ['that a person lets be repeated', {}],
  ])('a call %s asks again under the same id, and uses the answer from before', async (_name, options) => {
    await using server = await startHttpFixture()
    let it = worldOf(server.url, options)
    await it.submit(elicit(form))
    const [question] = await asked(it)
    it = await it.again()
    const unknown = (await open(it)).find(({ kind }) => kind === 'unknown_outcome')
    expect(unknown === undefined).toBe(options.trusted === true)
    const approvalId = String(question?.id)
    await it.send({ type: 'approve', approvalId, decision: 'approved', values: { name: 'ann' } })
    if (unknown) await it.send({ type: 'approve', approvalId: unknown.id, decision: 'approved' })
    expect(await replies(it)).toEqual([{ action: 'accept', content: { name: 'ann' } }])
    const questions = (await it.payloads('approval_required')).filter(({ kind }) => kind === 'question')
    expect(questions).toHaveLength(1)
  })
})

describe('[N255] a program', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bridle-mcp-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const programWorld = (options: McpOptions) =>
    new LoopWorld(callerAgent([mcp({ name: 'docs', ...fixtureProgram('good', folder) }, { idleMs: 0, ...options })]))

  test('of each run asks three sessions at once', async () => {
    const it = programWorld({ isolated: true })
    for (const key of keys) await it.submit(elicit(form), key)
    for (const key of keys.toReversed()) await answer(it, { values: { name: key.id } }, key)
    for (const key of keys) expect(await replies(it, key)).toEqual([{ action: 'accept', content: { name: key.id } }])
  })

  test('that sessions share asks where one of them calls, and gets an error where several do', async () => {
    const it = programWorld({})
    await it.submit(elicit(form))
    await asked(it)
    await it.submit(elicit(form), keys[1])
    expect(await replies(it, keys[1])).toMatchObject([
      { code: -32602, message: expect.stringMatching(/does not name the call .* `isolated: true`/) },
    ])
    expect(await it.payloads('approval_required', keys[1])).toEqual([])
    await answer(it, { values: { name: 'ann' } })
    expect(await replies(it)).toEqual([{ action: 'accept', content: { name: 'ann' } }])
    expect(await ask(it, 'docs_echo {"text":"on"}', keys[2])).toBe('on')
  })
})
