import type { AttachmentReference } from '@bridle/wire/openharness/wire'
import { describe, expect, test } from 'vitest'
import type { ShellEnvironment } from './messages/request.ts'
import type { ShellOptions } from './options.ts'
import { question, say, stubShell, success } from './stub-engine.suite.ts'

const contextsOf = (requests: ReturnType<typeof stubShell>['requests']) =>
  requests.map(({ request }) => request.context ?? {})

describe('requests of a shell', () => {
  test('[OHS1] every request has its own id, and a turn one correlation id', async () => {
    const asks = [success(question('a'), question('b')), success(say('one')), success(say('two')), success()]
    const { shell, requests } = stubShell(asks, { handlers: { request_approval: () => 'approve' } })
    const first = await shell.send('Hello')
    await shell.send('Again')
    expect(requests.map(({ protocol_version }) => protocol_version)).toEqual(Array(4).fill('1.0.0'))
    expect(new Set(requests.map(({ request_id }) => request_id)).size).toBe(4)
    expect(first.requestId).toBe(requests[0]?.request_id)
    const [a, b, c, d] = requests.map(({ correlation_id }) => correlation_id)
    expect([b, c]).toEqual([a, a])
    expect(d).not.toBe(a)
  })

  test('[OHS1] the caller may choose both ids', async () => {
    const { shell, requests } = stubShell([success()])
    const turn = await shell.send('Hello', { requestId: 'req-7', correlationId: 'trace-1' })
    expect([turn.requestId, requests[0]?.request_id, requests[0]?.correlation_id]).toEqual([
      'req-7',
      'req-7',
      'trace-1',
    ])
  })

  test('[OHS2] the session stays; the conversation stays until another one is started', async () => {
    const [one, two] = [stubShell([success()]), stubShell([success()], { sessionId: 's', conversationId: 'c' })]
    for (const { shell } of [one, two, one, two]) await shell.send('Hello')
    const started = two.shell.startConversation()
    await two.shell.send('Elsewhere')
    two.shell.startConversation('named')
    await two.shell.resume({ run_id: 'r' })
    expect(contextsOf(one.requests).map(({ session_id }) => session_id)).toEqual(Array(2).fill(one.shell.sessionId))
    expect(contextsOf(one.requests).every((context) => !('conversation_id' in context))).toBe(true)
    expect(contextsOf(two.requests).map((each) => [each.session_id, each.conversation_id])).toEqual(
      ['c', 'c', started, 'named'].map((conversation) => ['s', conversation]),
    )
    expect(one.shell.sessionId).not.toBe(stubShell([]).shell.sessionId)
    expect(two.shell.conversationId).toBe('named')
  })

  test.each<[string, Partial<ShellOptions>, object]>([
    ['nothing but text', { handlers: {} }, { 'openharness.actions.parallel': true }],
    ['one at a time', { handlers: {}, parallel: false }, {}],
    [
      'cards and approval',
      { handlers: { render_ui: () => {} }, approve: () => true },
      { 'openharness.actions.parallel': true, 'openharness.ui.rich_cards': true, 'openharness.ui.approval': true },
    ],
    [
      'its own words',
      { handlers: {}, capabilities: { 'com.example.x': { level: 2 }, 'openharness.actions.parallel': false } },
      { 'com.example.x': { level: 2 } },
    ],
  ])('[OHS3] the capabilities of a shell with %s', async (_name, options, expected) => {
    const { shell, requests } = stubShell([success()], options)
    await shell.send('Hello')
    expect(requests[0]?.capabilities).toEqual(expected)
  })

  test('[OHS4] an environment is sent with its privacy tier, read anew for each request', async () => {
    let reads = 0
    const environment = async () => ({ privacy_tier: 'restricted' as const, reads: ++reads })
    const { shell, requests } = stubShell([success()], { environment })
    await shell.send('one')
    await shell.send('two')
    expect(contextsOf(requests).map(({ environment_state }) => environment_state)).toEqual([
      { privacy_tier: 'restricted', reads: 1 },
      { privacy_tier: 'restricted', reads: 2 },
    ])
  })

  test.each([[{ os: 'macOS' }], [{ privacy_tier: 'private' }], [{ privacy_tier: null }]])(
    '[OHS4] the environment %j is not sent',
    async (environment) => {
      const { shell, requests } = stubShell([success()], { environment: environment as unknown as ShellEnvironment })
      await expect(shell.send('Hello')).rejects.toMatchObject({
        code: 'invalid_options',
        details: { field: 'environment.privacy_tier' },
      })
      expect(requests).toEqual([])
    },
  )

  test('[OHS4] an environment that cannot be read is the program’s error, and the next turn works', async () => {
    let reads = 0
    const environment = (): ShellEnvironment => {
      if (++reads === 1) throw new Error('no sensor')
      return { privacy_tier: 'public' }
    }
    const { shell } = stubShell([success()], { environment })
    await expect(shell.send('Hello')).rejects.toMatchObject({
      code: 'invalid_options',
      details: { field: 'environment' },
    })
    expect((await shell.send('Hello')).status).toBe('success')
  })

  test('[OHS5] only references of the identity are sent', async () => {
    const auth = { tenant_id: 't', credential_ref: 'c', token: 'canary-secret', password: 'canary-secret' }
    const { shell, requests } = stubShell([success()], { auth })
    await shell.send('Hello')
    expect(requests[0]?.request.auth).toEqual({ tenant_id: 't', credential_ref: 'c' })
    expect(JSON.stringify(requests)).not.toContain('canary-secret')
  })

  test.each<[AttachmentReference]>([
    [{}],
    [{ filename: 'x.png' }],
    [{ ref_id: '' }],
    [{ uri: ' DATA:image/png;base64,AAAA' }],
  ])('[OHS6] the attachment %j is refused', async (attachment) => {
    const { shell, requests } = stubShell([success()])
    const attachments = [{ ref_id: 'fine' }, attachment]
    await expect(shell.send('Look', { attachments })).rejects.toMatchObject({
      code: 'invalid_options',
      details: { field: 'attachments.1' },
    })
    expect(requests).toEqual([])
  })

  test('[OHS7] identity, hints, attachments and extensions are sent as given', async () => {
    const identity = { shell_kind: 'im_bot', shell_version: '2', locale: 'zh-CN', timezone: 'Asia/Shanghai' }
    const { shell, requests } = stubShell([success()], { identity, sessionId: 's' })
    const taskHint = { sop_id: 'onboard', deal: 42 }
    const attachments = [{ ref_id: 'r', mime_type: 'image/png' }, { uri: 'https://example.com/x' }, { asset_id: 'a' }]
    const extensions = { 'com.example': { foo: 1 } }
    await shell.send('Hello', { taskHint, attachments, extensions })
    expect(requests[0]?.request).toEqual({
      context: { session_id: 's', user_intent: 'Hello', task_hint: taskHint, attachments, extensions, shell: identity },
    })
  })

  test('[OHS8] turns run one after the other, and a failed one stops none', async () => {
    const order: string[] = []
    const { shell } = stubShell([success(say('x'))], {
      handlers: {
        render_message: async (_payload, { requestId }) => {
          order.push(`${requestId} begins`)
          await new Promise((resolve) => setImmediate(resolve))
          order.push(`${requestId} ends`)
          if (requestId === 'b') throw new Error('no screen')
        },
      },
    })
    await Promise.all(['a', 'b', 'c'].map((requestId) => shell.send('Hello', { requestId })))
    expect(order).toEqual(['a', 'b', 'c'].flatMap((id) => [`${id} begins`, `${id} ends`]))
  })

  test('[OHS8] turns that pile up without end are refused', async () => {
    const transport = () => new Promise<never>(() => {})
    const { shell } = stubShell([], { transport })
    for (let n = 0; n < 100; n += 1) void shell.send('Hello')
    await expect(shell.send('Hello')).rejects.toMatchObject({ code: 'invalid_options' })
  })

  test('a handler that is for no core type and has no dot is refused', () => {
    const handlers = { render_mesage: () => {} } as unknown as ShellOptions['handlers']
    expect(() => stubShell([], { handlers })).toThrow(expect.objectContaining({ code: 'invalid_options' }))
  })
})
