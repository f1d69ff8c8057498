// Nothing that a shell marks as private leaves the edge.
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { messageOf, script, summaryOf, testEngine } from './engine.suite.ts'
import { keptState } from './privacy.ts'

const hash = async (text: string) => createHash('sha256').update(`key ${text}`).digest('hex')
const print = (text: string) => ({ fingerprint: createHash('sha256').update(`key ${text}`).digest('hex') })

describe('[OH17] the state that is kept', () => {
  const state = { os: 'macOS', screen_hash: 'a1', active_window: 'Excel', cells: { b: [1], a: 2 } }
  test.each<[string, Parameters<typeof keptState>[0], unknown]>([
    ['none', undefined, null],
    ['untagged', state, null],
    ['secret', { ...state, privacy_tier: 'secret' }, null],
    ['public', { ...state, privacy_tier: 'public' }, { ...state, privacy_tier: 'public' }],
    [
      'restricted',
      { ...state, privacy_tier: 'restricted' },
      {
        privacy_tier: 'restricted',
        os: 'macOS',
        screen_hash: 'a1',
        active_window: print('Excel'),
        cells: print('{"a":2,"b":[1]}'),
      },
    ],
  ])('%s', async (_name, given, kept) => {
    expect(await keptState(given, hash)).toEqual(kept)
  })
  test('the operator lists other keys', async () => {
    const kept = await keptState({ ...state, privacy_tier: 'restricted' }, hash, ['active_window'])
    expect(kept).toEqual({
      privacy_tier: 'restricted',
      os: print('macOS'),
      screen_hash: print('a1'),
      active_window: 'Excel',
      cells: print('{"a":2,"b":[1]}'),
    })
  })
})

describe('[OH17] canaries', () => {
  const CANARY = 'canary-7f3a'
  const auth = { tenant_id: 'default', credential_ref: `ref-${CANARY}`, session_id: CANARY, token: CANARY }
  const states = {
    secret: { privacy_tier: 'secret', os: CANARY, extra: { deep: CANARY } },
    untagged: { os: CANARY, active_window: CANARY },
    restricted: { privacy_tier: 'restricted', os: 'macOS', active_window: CANARY, extra: { deep: [CANARY] } },
  }
  test.each(Object.entries(states))(
    'a state that is %s, and all of auth, are in no output at all',
    async (id, state) => {
      const lines: string[] = []
      const { send, get, host } = testEngine({ onRequest: (entry) => lines.push(JSON.stringify(entry)) })
      const seen: string[] = []
      const keep = (value: unknown) => seen.push(JSON.stringify(value))
      const context = { session_id: id, environment_state: state, attachments: [{ asset_id: 'a', data: CANARY }] }
      for (const user_intent of [script({ text: 'Fine.' }), script({ fail: 'Broken.' }), '']) {
        const { headers, ...reply } = await send(
          messageOf({ ...context, user_intent }, { request_id: `r${seen.length}` }, { auth }),
        )
        keep([reply, [...headers]])
      }
      for (const path of [
        `/sessions/${id}`,
        `/agents/scripted/${id}`,
        `/sessions/${id}/audit`,
        '/sessions',
        '/metrics',
      ])
        keep((await get(path)).body)
      const session = await host.find({ tenant: 'default', agent: 'scripted', id })
      const log = JSON.stringify([await session?.read(0, 1_000), session?.state])
      expect(log).toContain('Fine.')
      expect(log.includes('macOS')).toBe(id === 'restricted')
      expect([...seen, ...lines, log].join('\n')).not.toContain(CANARY)
    },
  )

  test('a public state reaches the log and the agent as it is', async () => {
    const { send, host } = testEngine()
    const environment_state = { privacy_tier: 'public', os: CANARY, screens: [1, 2] }
    await send(messageOf({ session_id: 'p', user_intent: script({ text: 'Fine.' }), environment_state }))
    const session = await host.find({ tenant: 'default', agent: 'scripted', id: 'p' })
    const prompt = (await session?.read(0, 1_000))?.find(({ type }) => type === 'prompt_queued')
    expect(prompt?.payload).toMatchObject({ input: { openharness: { environment_state } } })
  })

  test('values that are wrong are not quoted', async () => {
    const { send } = testEngine()
    const wrong = [
      messageOf({ environment_state: { privacy_tier: CANARY } }),
      messageOf({ user_intent: [CANARY] }),
      messageOf({ shell: CANARY }),
      messageOf({ user_intent: 'x', task_hint: { plugin_id: CANARY } }),
      messageOf({}, { protocol_version: CANARY }),
      messageOf({ user_intent: 'x', attachments: [{ uri: `data:${CANARY}` }] }),
    ]
    for (const message of wrong) {
      const reply = await send(message)
      expect(summaryOf(reply)).toEqual([400, 'invalid_request'])
      expect(JSON.stringify(reply.body)).not.toContain(CANARY)
    }
  })
})

test('[OH18] attachments are references', async () => {
  const { send } = testEngine()
  const fieldFor = async (...attachments: object[]) => {
    const { status, body } = await send(messageOf({ user_intent: script({ text: 'x' }), attachments }))
    return status === 200 ? null : body.response.error?.details?.field
  }
  expect(await fieldFor({ asset_id: 'a' }, { uri: 'https://example.com/a.pdf' }, { asset_id: 'b' })).toBeNull()
  expect(await fieldFor({ asset_id: 'a' }, { mime_type: 'image/png' })).toBe('context.attachments.1')
  for (const uri of ['data:image/png;base64,AAAA', ' DATA:,x', 'da\tta:,x', '\u0000data:,x'])
    expect(await fieldFor({ uri })).toBe('context.attachments.0.uri')
  expect(await fieldFor({ asset_id: `${'iVBORw0K+/'.repeat(30)}==` })).toBe('context.attachments.0.asset_id')
  expect(await fieldFor({ asset_id: 'a', filename: 'A'.repeat(255) })).toBeNull()
  expect(await fieldFor({ ref_id: 'A'.repeat(10_000) })).toBe('context.attachments.0.ref_id')
  expect(await fieldFor(...Array.from({ length: 51 }, () => ({ ref_id: 'a' })))).toBe('context.attachments')
})
