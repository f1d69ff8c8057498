// Names that nobody knows, in queries and in the bodies of our own routes: taken, and named in the answer.
import { describe, expect, test } from 'vitest'
import { streamSourceOf } from '../streams/sse.ts'
import { testApp } from '../test-app.suite.ts'
import { scriptBody } from '../test-client.suite.ts'

describe('[H49] a query parameter that a route does not know', () => {
  test('is not refused, and is named in the answer', async () => {
    const { app, get, post } = testApp()
    for (const id of ['a', 'b', 'c']) await post(`/agents/scripted/${id}`, scriptBody({ text: 'x' }))
    const cases = [
      ['/sessions/b?_=17', 200, 'query: "_" is not known here, and was ignored.'],
      ['/sessions/b?agnet=x', 200, 'query: "agnet" is not known here, and was ignored. Did you mean "agent"?'],
      ['/agents/scripted/c?afte=3', 200, 'query: "afte" is not known here, and was ignored. Did you mean "after"?'],
      ['/health?x=1', 200, 'query: "x" is not known here, and was ignored.'],
      ['/sessions/nope?x=1', 404, 'query: "x" is not known here, and was ignored.'],
      [
        '/agents/scripted/c?limit=0&limt=1',
        400,
        'query: "limt" is not known here, and was ignored. Did you mean "limit"?',
      ],
    ] as const
    for (const [path, status, warning] of cases) {
      const answer = await get(path)
      expect([path, answer.status, answer.body.warnings]).toEqual([path, status, [warning]])
    }
    for (const path of [
      '/sessions?tenant=default&limit=1',
      '/sessions/a?agent=scripted',
      '/sessions/a/runs/r-2?agent=scripted',
    ])
      expect([path, (await get(path)).body.warnings]).toEqual([path, undefined])
    const stream = await app.fetch(new Request('http://127.0.0.1/sessions/a/events?repaly=1'))
    expect([stream.status, streamSourceOf(stream)]).toEqual([200, expect.any(Function)])
  })

  test('many of them, and long ones, are named in short', async () => {
    const { get } = testApp()
    const names = Array.from({ length: 50 }, (_, index) => `n${index}`)
    const { body } = await get(`/sessions/a?${names.join('=1&')}=1`)
    expect(body.warnings).toHaveLength(20)
    const [warning = ''] = (await get(`/sessions/a?${'x'.repeat(5_000)}=1`)).body.warnings as string[]
    expect(warning.length).toBeLessThan(300)
  })
})

describe('[H178] a list', () => {
  const refused = (path: string, name: string, near: string | null) =>
    [path, 400, `query: "${name}" is not known here.${near === null ? '' : ` Did you mean "${near}"?`}`] as const

  test.each([
    refused('/sessions?user=ada', 'user', null),
    refused('/sessions?limt=1', 'limt', 'limit'),
    refused('/sessions?status=idle&serach=x&limit=3', 'serach', 'search'),
    refused('/sessions?_=17', '_', null),
    refused('/sessions?__proto__=1', '__proto__', null),
    refused('/sessions?constructor=1', 'constructor', null),
    refused('/sessions?Limit=1', 'Limit', 'limit'),
    refused('/approvals?curser=1', 'curser', 'cursor'),
    refused('/approvals?agent=scripted', 'agent', null),
    refused(`/approvals?${'x'.repeat(5_000)}=1`, `${'x'.repeat(100)}…`, null),
  ])('%s is refused, with the nearest name', async (path, status, sentence) => {
    const { get } = testApp()
    const answer = await get(path)
    expect(answer.status).toBe(status)
    expect(String(answer.body.error)).toContain(sentence)
    expect(answer.body.warnings).toBeUndefined()
  })

  test('names all of them, and then what it knows', async () => {
    const { get } = testApp()
    expect((await get('/approvals?user=ada&zzz=1')).body).toMatchObject({
      error:
        'query: "user" is not known here. query: "zzz" is not known here. Known are status, limit, cursor, token, ticket, tenant.',
    })
  })

  test('takes each parameter that it has', async () => {
    const { get } = testApp()
    const filters =
      'status=idle&kind=chat&agent=scripted&parent=a&search=x&archived=all&engine=scripted&flag=stuck&changed_since=2026-01-01T00:00:00Z'
    expect(await get(`/sessions?${filters}&order=created&limit=3&tenant=default`)).toMatchObject({ status: 200 })
    expect(await get('/approvals?status=all&limit=3&tenant=default')).toMatchObject({ status: 200 })
  })
})

describe('[H49] a field of a body that a route does not know', () => {
  const named = (name: string, near: string) =>
    `body: "${name}" is not known here, and was ignored. Did you mean "${near}"?`

  test('of a policy is refused, with the nearest one, and a field that is missing is named', async () => {
    const { post } = testApp()
    const refusals: [object, string][] = [
      [{ prompt: 'x', policy: { helth: {} } }, 'body: policy.helth: It is not known here. Did you mean "health"?'],
      [
        { prompt: 'x', policy: { health: { max_cots_usd: 1 } } },
        'body: policy.health.max_cots_usd: It is not known here. Did you mean "max_cost_usd"?',
      ],
      [{ agent: 'scripted' }, 'body: prompt: It is missing'],
    ]
    for (const [body, error] of refusals)
      expect(await post('/sessions', body)).toMatchObject({ status: 400, body: { error } })
  })

  test('is named with the nearest one', async () => {
    const { post } = testApp()
    const prompt = scriptBody({ text: 'x' }).prompt
    const started = await post('/sessions', {
      ...{ prompt, engine: 'scripted', session_id: 'work', max_retires: 2 },
      ...{ workspce: {}, polcy: 1, workspace: { moed: 'write' } },
    })
    expect([started.status, started.body.warnings]).toEqual([
      202,
      [
        named('max_retires', 'max_retries'),
        named('workspce', 'workspace'),
        named('polcy', 'policy'),
        named('workspace.moed', 'workspace.mode'),
      ],
    ])
    const chat = await post('/chat/sessions', { session_id: 'chat', engine: 'scripted', titel: 'x' })
    expect([chat.status, chat.body.warnings]).toEqual([201, [named('titel', 'title')]])
    const turn = await post('/chat/sessions/chat/turns', { prompt, actr: 'me' })
    expect([turn.status, turn.body.warnings]).toEqual([202, [named('actr', 'actor')]])
    const policy = await post('/sessions/chat/policy', { policy: {}, reasn: 'x', actro: 'x' })
    expect([policy.status, policy.body.warnings]).toEqual([200, [named('reasn', 'reason'), named('actro', 'actor')]])
    const branch = await post('/chat/sessions/chat/branch', { from_evnt_id: 'ev-1' })
    expect([branch.status, branch.body.warnings]).toEqual([400, [named('from_evnt_id', 'from_event_id')]])
    expect((await post('/tickets', { sesionId: 'x' })).body.warnings).toEqual([named('sesionId', 'sessionId')])
    expect((await post('/sessions/chat/cancel', { queu: true })).body.warnings).toEqual([named('queu', 'queue')])
  })

  test('of an agent’s own input is the agent’s', async () => {
    const { post } = testApp()
    for (const id of ['a', 'b', 'c']) {
      const { status, body } = await post(`/agents/scripted/${id}`, { ...scriptBody({ text: 'x' }), anything: 1 })
      expect([status, 'warnings' in body]).toEqual([200, false])
    }
    const { body } = await post('/sessions', { prompt: scriptBody({ text: 'x' }).prompt, input: { anything: 1 } })
    expect('warnings' in body).toBe(false)
  })
})
