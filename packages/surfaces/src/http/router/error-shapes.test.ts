// The table of error shapes in docs/protocol/http.md, held against every route.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { httpWires } from '../../all.ts'
import { routeTable } from '../../app.ts'
import { denialKinds } from '../denials/denial.ts'
import { testApp } from '../test-app.suite.ts'
import { bearer } from '../test-client.suite.ts'

const page = readFileSync(new URL('../../../../../docs/protocol/http.md', import.meta.url), 'utf8')
const statusesOf = (shape: string): readonly number[] => {
  const row = page.split('\n').find((line) => line.startsWith(`| ${shape} | \`{ "`))
  return row?.match(/\b[45]\d\d\b/g)?.map(Number) ?? []
}
const [text, missing, object, envelope] = ['text', 'not found', 'object', 'envelope'].map(statusesOf) as [
  readonly number[],
  readonly number[],
  readonly number[],
  readonly number[],
]

test('[H11] the table has every denial under its shape', () => {
  const { invalid_answer: invalidAnswer, ...others } = denialKinds
  expect([invalidAnswer, page]).toEqual([
    { status: 400, body: 'object' },
    expect.stringMatching(/\| object .*`invalid_answer`/),
  ])
  for (const { status, body } of Object.values(others))
    expect([status, text.includes(status) || missing.includes(status), object.includes(status)]).toEqual([
      status,
      body === 'text',
      body === 'object',
    ])
  expect(missing).toEqual([404])
})

const envelopePaths = ['/v1/openharness', '/openharness']
const any = expect.any(String)
const shapeOf = (path: string, status: number): object => {
  if (envelopePaths.includes(path) && envelope.includes(status))
    return { response: { status: 'error', error: { code: any, message: any, retryable: expect.any(Boolean) } } }
  if (missing.includes(status)) return { error: 'Not found' }
  if (text.includes(status)) return { error: any }
  if (object.includes(status)) return { error: { type: any, message: any } }
  throw new Error(`${status} is not in the table.`)
}

const rows = routeTable(httpWires)
const app = testApp({ tokens: [{ token: 'right' }, { token: 'looks', scopes: ['observe'] }] })
const filled = (path: string): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => (name === 'name' ? 'scripted' : 'none'))

test.each(rows.map((row) => [`${row.method.toUpperCase()} ${row.path}`, row] as const))(
  '[H11] the errors of %s have the shapes of the table',
  async (_name, { method, path }) => {
    const url = `http://127.0.0.1${filled(path)}`
    const requests: [string, RequestInit][] = [
      [method, {}],
      [method, { headers: bearer('looks') }],
      [method, { headers: bearer('right') }],
      ['put', { headers: bearer('right') }],
      ...(['post', 'patch'].includes(method)
        ? ['{"a"', '[]', '{"prompt":7,"session_id":"a/b"}'].map((body): [string, RequestInit] => [
            method,
            { headers: { ...bearer('right'), 'content-type': 'application/json' }, body },
          ])
        : []),
    ]
    const seen: number[] = []
    for (const [asked, init] of requests) {
      const response = await app.app.fetch(new Request(url, { ...init, method: asked.toUpperCase() }))
      if (response.status < 400) {
        await response.body?.cancel()
        continue
      }
      seen.push(response.status)
      expect([response.status, await response.json()]).toMatchObject([response.status, shapeOf(path, response.status)])
    }
    // No route takes PUT.
    expect(seen).toContain(405)
  },
)

test('[H11] a path that no route has is the 404 of the table, below OpenHarness too', async () => {
  for (const path of ['/nothing', '/v1/openharness/nothing'])
    expect(await app.get(path, bearer('right'))).toMatchObject({
      status: 404,
      body: { error: 'Not found', message: any },
    })
})
